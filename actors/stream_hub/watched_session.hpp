// What the hub knows of one session: who listens, how far its log is known to go, and the blocks that
// are in the middle of streaming.
#pragma once

#include "actors/stream_hub/stream_reader.hpp"

namespace troupe::actors {

class watched_session {
 public:
  struct listener {
    std::shared_ptr<stream_reader> reader;
    bool live = false;    ///< it has the past; what is published goes to it
    bool reading = false; ///< a page of the past is asked for
  };

  std::vector<listener> listeners;
  std::int64_t head = 0; ///< at least so far the log goes

  listener* find(const std::shared_ptr<stream_reader>& reader);
  /// Adds deltas to the blocks that are streaming, and shows them to who is live.
  void take(const std::vector<live_item>& items);
  /// Moves the head, and drops the blocks that the events end.
  void take(const std::vector<recorded_event>& events);
  /// The reader has all of the past: it gets the open blocks, then what is published.
  void go_live(listener& one) const;
  bool is_idle() const { return listeners.empty() && open_.empty(); }

 private:
  /// False for what comes after its inference has ended, or without its beginning.
  bool takes(const live_item& item);

  std::string ended_;                                                 ///< the inference that ended last
  std::map<std::pair<std::string, std::int64_t>, live_partial> open_; ///< by inference and block
};

} // namespace troupe::actors
