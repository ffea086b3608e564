// Retention: of a session that keeps its context alone, what came before it is removed from the log.
#pragma once

#include "messages/ids.hpp"
#include "persistence/journal.hpp"
#include "session/state.hpp"

namespace troupe::actors {

/// Appends `context.trimmed`, which holds all that the session is, and then removes everything before it;
/// where an earlier try died in between, it removes only. `now` is the state at the head of a session that
/// rests and that `row` holds. A log that a fork reads stays whole. Gives what was appended. Errors: why it
/// stays as it is, or as long as it is: `conflict` for a session at work, `fenced` if it is another one's by
/// now, `unavailable`.
result<std::vector<recorded_event>> trim_log(persistence::journal& journal,
    const persistence::session_row& row, const session::state& now, timestamp at, id_source& ids);

} // namespace troupe::actors
