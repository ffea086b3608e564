// The exit status of every command, and how a problem becomes one.
#pragma once

#include "cli/transcript.hpp"
#include "messages/problem.hpp"

#include <iostream>

namespace troupe::cli {

enum exit_status : int {
  done = 0,
  work_failed = 1, ///< the work was tried and failed
  wrong_usage = 2, ///< wrong usage or configuration
  unreachable = 3, ///< the database or a provider can't be reached
};

inline exit_status status_of(const problem& why) {
  switch (why.code) {
  case problem_code::unavailable:
    return unreachable;
  case problem_code::invalid_input:
  case problem_code::unsupported:
    return wrong_usage;
  default:
    return work_failed;
  }
}

/// Tells the user and gives the status.
inline int complain(const problem& why) {
  std::cerr << "troupe: " << for_terminal(why.detail) << "\n"; // it may quote what others wrote
  for (const auto& at : why.errors)
    std::cerr << "  " << (at.pointer.empty() ? "/" : at.pointer) << ": " << for_terminal(at.detail) << "\n";
  return status_of(why);
}

} // namespace troupe::cli
