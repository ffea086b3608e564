// Whether a log that was read is whole: no hole, and the chain ends where the session's row says.
#pragma once

#include "persistence/journal.hpp"

namespace troupe::persistence {

/// Errors: `corrupt`, naming the session and the first `seq` that is missing, or that the chain
/// doesn't hold. A branch that begins with another one's chain (a fork) is checked for holes alone.
result<void> check_log(const std::string& session, const std::vector<recorded_event>& events,
    std::int64_t head, std::string_view chain);

} // namespace troupe::persistence
