// The invariants of a log (I-1 … I-7), read off its events alone: a second opinion on the machine.
#pragma once

#include "messages/event.hpp"

#include <optional>
#include <set>
#include <span>
#include <string>

namespace troupe::testing {

/// The first breach, beginning with the invariant's name, or nothing. `durable`: the tools that may
/// run again without a person's word. A log may end anywhere between two appends.
std::optional<std::string> log_breach(std::span<const event> log, const std::set<std::string>& durable);

} // namespace troupe::testing
