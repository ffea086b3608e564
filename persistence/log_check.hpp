// Whether a log that was read is whole: no hole, and the chain ends where the session's row says.
#pragma once

#include "persistence/journal.hpp"

namespace troupe::persistence {

/// A place in a log: a number and the chain there, 32 bytes, or empty at 0.
struct chain_mark {
  std::int64_t seq = 0;
  std::string_view chain;
};

/// `events` lead from one place to the other. Errors: `corrupt`, naming the session and the first
/// `seq` that is missing, or that the chain doesn't hold. A branch that begins with another one's
/// chain (a fork) is checked for holes alone.
result<void> check_log(const std::string& session, const chain_mark& from,
    const std::vector<recorded_event>& events, const chain_mark& head);

} // namespace troupe::persistence
