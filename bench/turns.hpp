// Turns on many sessions at once, and what they cost.
#pragma once

#include "bench/stage.hpp"

namespace troupe::bench {

/// `turns` turns, spread over the sessions, each of which goes on as soon as it is idle again. `prompt` is
/// called on the node's threads.
void play_turns(std::vector<actors::session_handle>& sessions, std::size_t turns,
    const std::function<std::string()>& prompt);

struct turn_cost {
  double turns_per_second = 0;
  double troupe_ms = 0; ///< processor time a turn, by process
  double postgres_ms = 0;
  double gym_ms = 0;
  double wal_bytes = 0; ///< a turn
};

/// The same of one kind, measured.
turn_cost measure_turns(
    stage& stage, std::vector<actors::session_handle>& sessions, turn_kind kind, std::size_t turns);

} // namespace troupe::bench
