// One reader of a session's live stream: bounded, at its own pace, on whatever thread it likes.
#pragma once

#include "actors/protocol.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>

namespace troupe::actors {

/// A reader that is further behind is cut off and can come again.
inline constexpr std::size_t reader_bytes_max = 4 * 1024 * 1024;

class stream_reader {
 public:
  /// Events after `after` come, once and in order.
  explicit stream_reader(std::int64_t after) : next_(after + 1) {}

  // -- for the hub --
  std::int64_t next_seq() const;
  void offer(std::vector<recorded_event> events);
  void offer(const std::vector<live_item>& items);
  void close();

  // -- for whoever reads --
  /// The next item, or nothing when the time is up or the stream has ended (`ended` tells).
  std::optional<stream_item> next(std::chrono::milliseconds patience);
  bool ended() const;
  bool overflowed() const;

 private:
  void push(stream_item item, std::size_t bytes);
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::pair<stream_item, std::size_t>> items_;
  std::map<std::int64_t, recorded_event> early_; ///< events that came before those before them
  std::size_t bytes_ = 0;
  std::int64_t next_;
  bool closed_ = false;
  bool overflowed_ = false;
};

} // namespace troupe::actors
