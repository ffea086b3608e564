// A journal over the simulated store that fails now and then, forgets its answers, and dies with its node.
#pragma once

#include "tests/simulation/ground.hpp"
#include "tests/simulation/staged_tools.hpp"

namespace troupe::simulation {

/// What the journals of one node have in common.
struct journal_place {
  tool_place& node;
  bool dies_now = false; ///< the node is to crash in the middle of this append
  int trouble = 0;       ///< of a hundred calls, how many meet some
};

/// Outlives its node's actors; `where` and `on` outlive it.
std::shared_ptr<persistence::journal> make_troubled_journal(ground& on, journal_place& where);

} // namespace troupe::simulation
