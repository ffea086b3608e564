// What is said to the stream hub.
#pragma once

#include "actors/stream_reading.hpp"
#include "persistence/journal.hpp"

namespace troupe::actors {

class stream_reader;

struct publish_events {
  persistence::session_key session;
  std::shared_ptr<const std::vector<recorded_event>> events;
};
struct publish_live {
  persistence::session_key session;
  std::shared_ptr<const std::vector<live_item>> items;
};
struct subscribe {
  persistence::session_key session;
  std::shared_ptr<stream_reader> reader;
};
/// A reader has room for more of its past, or its past couldn't be read before.
struct go_on_reading {
  persistence::session_key session;
  std::shared_ptr<stream_reader> reader;
};
/// Answered with `done` when every reader is live: it has what is there.
struct settle_readers {};
/// To whoever plays a session back: something has come, there is room, or a pause is over.
struct play_on {
  bool pause_over = false;
};
/// Looks after what other nodes append, and after readers that wait for an event that never came.
struct look_at_heads {};
struct unsubscribe {
  persistence::session_key session;
  std::shared_ptr<stream_reader> reader;
};

} // namespace troupe::actors
