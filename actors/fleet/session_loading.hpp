// From a session's row and log to what its agent begins with.
#pragma once

#include "actors/agent/agent_actor.hpp"

namespace troupe::actors {

/// Folds events on. Of a log whose beginning was removed the first one says what it goes on from, which is
/// fetched. Errors: `corrupt`.
result<void> fold_on(persistence::journal& journal, std::int32_t tenant, session::state& state,
    const std::vector<recorded_event>& log);

/// The fold of a log, with the big texts that decisions need at hand. Errors: `corrupt`.
result<std::shared_ptr<session::state>> load_state(
    persistence::journal& journal, std::int32_t tenant, const std::vector<recorded_event>& log);

/// The same from where a snapshot was taken; one that is no good is passed over and the whole log read.
result<std::shared_ptr<session::state>> load_state(
    persistence::journal& journal, const persistence::taken_session& taken);

/// Fetches the text of the instructions, where it is kept by content: each inference is given it. Errors:
/// `corrupt` if it isn't there.
result<void> fill_instructions(persistence::journal& journal, std::int32_t tenant, session::state& state);

/// The tools that the options name. Errors: `invalid_input` with what is known.
result<tools::offer> offer_of(const tools::tool_box& box, const options& wanted);

/// What the machine looks up for a session with these options.
std::shared_ptr<const session::look_ups> look_ups_of(
    const node_parts& parts, const options& wanted, const tools::offer& offer, bool can_ask);

/// Whether this version carries out all of the options. Errors: `unsupported`, naming the first.
result<void> supported(const options& wanted);

/// `wanted` with provider and model filled in. Errors: `invalid_input` for a provider that isn't configured.
result<options> with_defaults(const node_parts& parts, options wanted);

} // namespace troupe::actors
