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

} // namespace troupe::actors
