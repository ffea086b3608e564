// From the events of an append back to the command that led to them (docs/events.md, "From events
// back to commands").
#pragma once

#include "messages/commands.hpp"
#include "session/state.hpp"

#include <optional>
#include <span>

namespace troupe::session {

/// The command of one append, or nothing if no command of this version leads to it. `kind` is stored
/// with the append, `before` is the state that it was decided on. Of one that a fork has `cut`, a command
/// that leads to its beginning.
std::optional<command> recorded_command(
    command_kind kind, const state& before, std::span<const event> append, bool cut = false);

} // namespace troupe::session
