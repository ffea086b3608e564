// From events that are decided to the append that the journal is asked for.
#pragma once

#include "persistence/journal.hpp"
#include "session/state.hpp"

namespace troupe::actors {

/// `events` have their places already; the journal gives the same ones or refuses.
persistence::append append_of(const persistence::session_key& session, std::int64_t epoch,
    command_kind command, const std::vector<event>& events, std::string append_id);

/// What the session's row says beside the head.
persistence::session_view view_of(const session::state& now);

/// The same of events that were decided on `now`, with what the row says after them; folds them into it.
persistence::append decided_append(const persistence::session_key& session, std::int64_t epoch,
    session::state& now, command_kind command, const std::vector<event>& events, std::string append_id);

/// Commits `events`, which were decided on `now`, and folds them into it: for whoever holds the session and
/// has no agent for it. Gives what was stored. Errors: why it was refused; `fenced` if the session is another
/// one's by now.
result<std::vector<recorded_event>> commit_decided(persistence::journal& journal,
    const persistence::session_row& row, session::state& now, command_kind command,
    const std::vector<event>& events, std::string append_id);

} // namespace troupe::actors
