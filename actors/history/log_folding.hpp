// The state at any event of a stored log.
#pragma once

#include "persistence/journal.hpp"
#include "session/state.hpp"

namespace troupe::actors {

/// The state after an event of the log, and the chain there.
struct folded_log {
  std::shared_ptr<session::state> state;
  std::string chain;
};
/// From the newest snapshot at or before `at`, which is in the log; one that is no good is passed over.
/// Errors: `corrupt` for a log with a gap.
result<folded_log> fold_to(
    persistence::journal& journal, const persistence::session_row& row, std::int64_t at);

/// The same of a log that was read on to its head, and whose chain leads there from the snapshot: what was
/// altered isn't gone on from. Errors: `corrupt`.
result<folded_log> checked_fold_to(
    persistence::journal& journal, const persistence::session_row& row, std::int64_t at);

/// As `checked_fold_to`, but the context may be left out: what else a state says is there, for whoever asks
/// nothing of the conversation. A snapshot is as near as that to being free.
result<folded_log> checked_outline_at(
    persistence::journal& journal, const persistence::session_row& row, std::int64_t at);

} // namespace troupe::actors
