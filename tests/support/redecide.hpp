// From the events of an append back to the command that led to them (docs/events.md, "From events
// back to commands"), and to the decision that is made of it again.
#pragma once

#include "session/decide.hpp"

#include <optional>
#include <span>
#include <string>

namespace troupe::testing {

/// The command of one append, or nothing if no command of this version leads to it. `kind` is stored
/// with the append, `before` is the state that it was decided on.
std::optional<command> recovered_command(
    command_kind kind, const session::state& before, std::span<const event> append);

/// The kind of an append of the worked logs, which don't say it.
command_kind kind_of_append(const session::state& before, std::span<const event> append);

/// Decides again with the ids and the time that were recorded. Gives the first difference as a
/// sentence, or nothing. What `events` fill in for readers (arguments, results) is filled in here too.
std::optional<std::string> redecided_difference(const session::state& before, std::span<const event> append,
    const command& what, const session::look_ups& known);

} // namespace troupe::testing
