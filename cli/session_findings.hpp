// What `troupe doctor` finds, of the surroundings and of the sessions.
#pragma once

#include "cli/surroundings.hpp"

namespace troupe::cli {

struct finding {
  std::string what;
  bool good = true;
  std::string detail;
};

/// Looks at every session and for rows that belong to nothing. With `repair`, what appending repairs is
/// repaired, and said to be. Errors: `unavailable`.
result<std::vector<finding>> examine_sessions(const common_flags& common, bool repair);

} // namespace troupe::cli
