// Whether a log can be folded on from a snapshot at every place where one may be taken.
#pragma once

#include "messages/event.hpp"
#include "session/state.hpp"

#include <optional>
#include <span>
#include <string>

namespace troupe::testing {

/// All that a decision looks at, as text.
std::string told(const session::state& now);

/// What differs between the state by snapshot and tail and the state by the whole log, if anything.
std::optional<std::string> snapshot_breach(std::span<const event> log);

} // namespace troupe::testing
