// Modes: which of a session's tools its model sees, by a name of the configuration or by a list.
//
// A mode hides, it takes nothing away: a call that was asked for before the mode changed is carried out.
#pragma once

#include "actors/node_parts.hpp"

namespace troupe::actors {

/// What the model of the session sees of `whole`: all of it without a mode. Of a mode whose list was changed
/// since, what the session has.
tools::offer shown_of(const configured_modes& modes, const options& wanted, const tools::offer& whole);

/// Whether the session can have its mode. Errors: `invalid_input` at `/mode` for a mode that isn't one or
/// isn't configured, and for a tool in it that `whole` lacks, by name.
result<void> check_mode(const configured_modes& modes, const options& wanted, const tools::offer& whole);

/// Whether there is the mode, whatever it names. Errors: as above.
result<void> find_mode(const configured_modes& modes, const options& wanted);

} // namespace troupe::actors
