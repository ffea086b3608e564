// Forks of logs, and what holds of every one of them (D-35).
#pragma once

#include "session/state.hpp"

#include <span>
#include <string>
#include <vector>

namespace troupe::testing {

struct forked {
  session::state before; ///< at the cut
  std::vector<event> events;
  session::state now;
};

/// The state, forked as the session `fork`. Throws if that is refused.
forked fork_of(session::state before);

/// The log up to `seq`, forked as the session `fork`. Throws if that is refused.
forked fork_at(std::span<const event> log, std::int64_t seq);

/// Empty if the fork is idle and whole, leaves nothing to do, and is decided again from its events.
std::string fork_breach(const forked& fork);

} // namespace troupe::testing
