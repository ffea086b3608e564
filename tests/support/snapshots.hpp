// Whether a log can be folded on from a snapshot at every place where one may be taken.
#pragma once

#include "messages/event.hpp"

#include <optional>
#include <span>
#include <string>

namespace troupe::testing {

/// What differs between the state by snapshot and tail and the state by the whole log, if anything.
std::optional<std::string> snapshot_breach(std::span<const event> log);

} // namespace troupe::testing
