// The heads of sessions as this journal last saw them, with the messages that were accepted since the last
// decision: from here those who are behind are answered. All of it can be forgotten at any time and is read
// again.
#pragma once

#include "persistence/journal.hpp"

#include <list>

namespace troupe::persistence {

/// The end of a session's log in memory.
struct known_head {
  std::int64_t epoch = 0;
  std::int64_t seq = 0;
  std::string chain;                ///< 32 bytes, empty for an empty log
  timestamp last_at;                ///< of the event at `seq`
  std::vector<recorded_event> tail; ///< the last events, contiguous up to `seq`
  std::size_t tail_bytes = 0;

  /// Appends committed events and drops the oldest beyond the bounds. Nothing is kept of a decision and of
  /// what came before it: whoever decided it knew that, and is told what it became.
  void extend(const std::vector<recorded_event>& events);
  /// The events after `after`, or nothing if the tail doesn't reach back to them.
  std::optional<std::vector<recorded_event>> since(std::int64_t after) const;

  void drop_beyond_bounds();
};

class known_heads {
 public:
  static constexpr std::size_t tail_events_max = 64;
  static constexpr std::size_t tail_bytes_max = 64 * 1024;

  explicit known_heads(std::size_t sessions_max = 4096) : sessions_max_(sessions_max) {}
  /// Null if it isn't known. The pointer holds until the next `put` or `forget`.
  known_head* find(const session_key& session);
  known_head& put(const session_key& session, known_head head);
  void forget(const session_key& session);

 private:
  struct entry {
    session_key key;
    known_head head;
  };
  std::size_t sessions_max_;
  std::list<entry> by_use_; ///< the latest first
  std::map<session_key, std::list<entry>::iterator> by_key_;
};

} // namespace troupe::persistence
