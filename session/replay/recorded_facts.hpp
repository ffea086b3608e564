// What the machine had been told when it decided: read off the append, since look-ups are never asked again.
#pragma once

#include "session/inputs.hpp"

#include <span>

namespace troupe::session {

/// The look-ups that may have led to the append, the likeliest first, at least one. What an append doesn't
/// show made no difference to it; where it could have come about in several ways (calls that wait for each
/// other), there is one for each way.
std::vector<look_ups> recorded_look_ups(const state& before, std::span<const event> append);

} // namespace troupe::session
