// The names of problems, and what happens where one is ignored.
#include "messages/problem.hpp"

#include <stdexcept>

namespace troupe {

std::string_view name_of(problem_code code) {
  switch (code) {
  case problem_code::invalid_input:
    return "invalid_input";
  case problem_code::not_found:
    return "not_found";
  case problem_code::conflict:
    return "conflict";
  case problem_code::closed:
    return "closed";
  case problem_code::behind:
    return "behind";
  case problem_code::duplicate:
    return "duplicate";
  case problem_code::fenced:
    return "fenced";
  case problem_code::owned_elsewhere:
    return "owned_elsewhere";
  case problem_code::too_large:
    return "too_large";
  case problem_code::corrupt:
    return "corrupt";
  case problem_code::unavailable:
    return "unavailable";
  case problem_code::unsupported:
    return "unsupported";
  case problem_code::cancelled:
    return "cancelled";
  case problem_code::timeout:
    return "timeout";
  case problem_code::internal:
    return "internal";
  }
  return "internal";
}

error::error(troupe::problem why)
    : std::runtime_error(std::string(name_of(why.code)) + ": " + why.detail), why_(std::move(why)) {}

void throw_exception_from_error(const problem& why, const boost::source_location&) { throw error(why); }

} // namespace troupe
