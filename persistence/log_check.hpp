// Whether a log that was read is whole: no hole, and the chain ends where the session's row says.
#pragma once

#include "persistence/journal.hpp"

namespace troupe::persistence {

/// A place in a log: a number and the chain there, 32 bytes, or empty at 0.
struct chain_mark {
  std::int64_t seq = 0;
  std::string_view chain;
};

/// Where the log begins whose first event this is.
log_place beginning_of(const recorded_event& first);
/// What is said to somebody who asks for an event up to there.
problem removed_by_retention(const std::string& session, std::int64_t through);

/// The end of a log, also while the session works. Errors: `not_found` if it was erased, or hasn't begun;
/// `unavailable`.
result<log_place> head_of(journal& journal, const session_row& row);

/// `events` lead from one place to the other. Errors: `corrupt`, naming the session and the first
/// `seq` that is missing, or that the chain doesn't hold. A fork goes on from its parent's chain at the cut.
result<void> check_log(const std::string& session, const chain_mark& from,
    const std::vector<recorded_event>& events, const chain_mark& head);

} // namespace troupe::persistence
