// The gym's own small model: no script, no chance, good enough to show what a session does.
#pragma once

#include "providers/gym/conversation.hpp"

namespace troupe::providers::gym {

/// What it answers. It finds in the newest user text the things that offered tools do, one after the
/// other; it calls the tool of the first that has no result yet, and when all have one it reports
/// them. So it always comes to an end: after as many calls as it found things to do.
std::vector<step> improvise(const conversation& heard);

} // namespace troupe::providers::gym
