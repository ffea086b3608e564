// What kind of command an append came from, where the log doesn't say it: the worked logs.
#pragma once

#include "session/state.hpp"

#include <span>

namespace troupe::testing {

/// `before` is the state that it was decided on.
command_kind kind_of_append(const session::state& before, std::span<const event> append);

} // namespace troupe::testing
