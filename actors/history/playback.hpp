// A recorded session as its readers saw it happen: events with the pieces of the answers in front of them.
#pragma once

#include "actors/stream_reading.hpp"

#include <vector>

namespace troupe::actors {

/// No pause is longer when a session is played back, whatever its pace: a night between two questions isn't
/// waited for.
inline constexpr std::chrono::seconds played_pause_max{10};

/// Nobody can see a difference beyond it.
inline constexpr double played_speed_max = 1'000'000;

struct played_item {
  timestamp at; ///< when it happened
  stream_item what;
};

class playback {
 public:
  /// The next event, as readers get it. Gives what readers were shown since the one before, it last. How an
  /// answer came in pieces isn't recorded: a block's are spread evenly over the time that it took.
  std::vector<played_item> take(const recorded_event& event);

 private:
  std::optional<timestamp> last_;
};

/// How long to wait between two items at `speed` times the pace at which they came; 0: not at all.
std::chrono::microseconds played_pause(timestamp before, timestamp after, double speed);

} // namespace troupe::actors
