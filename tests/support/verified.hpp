// Every test that makes a log ends with its verification.
#pragma once

#include "actors/history/verification.hpp"

namespace troupe::testing {

/// Empty if everything in the log is what the machine decides and the chain holds, else the first difference.
inline std::string difference_in(persistence::journal& journal, const persistence::session_row& row) {
  const auto found = actors::verify_log(journal, row);
  if (!found)
    return found.error().detail;
  const auto& other = found->first_difference;
  return other
      ? "event " + std::to_string(other->seq) + ": expected " + other->expected + ", found " + other->found
      : "";
}

} // namespace troupe::testing
