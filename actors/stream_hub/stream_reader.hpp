// One reader of a session's live stream: bounded, at its own pace, on whatever thread it likes.
#pragma once

#include "actors/protocol.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>

namespace troupe::actors {

/// A reader that has less than this asks for the next page of the past.
inline constexpr std::size_t reader_bytes_low = 256 * 1024;

class stream_reader {
 public:
  /// Events after `after` come, once and in order. Without `follow` it ends at the head. If it is more than
  /// `bytes_max` behind what happens live it is cut off, and can come again.
  stream_reader(std::int64_t after, bool follow, std::size_t bytes_max)
      : bytes_max_(bytes_max), next_(after + 1), follow_(follow) {}
  bool follows() const { return follow_; }

  // -- for the hub --
  std::int64_t next_seq() const;
  /// An event came whose predecessors haven't.
  bool has_gap() const;
  /// A page of the past that was asked for is taken whole: only what nobody asked for is bounded.
  void offer_page(std::vector<recorded_event> events) { offer_events(std::move(events), false); }
  void offer(std::vector<recorded_event> events) { offer_events(std::move(events), true); }
  void offer(const std::vector<live_item>& items);
  void offer(live_partial partial);
  /// Drops what came before its time, since the past is read anew.
  void forget_early();
  /// There is room for more of the past.
  bool is_hungry() const;
  /// `ask` is called once when there is room for more of the past; at once, if there is.
  void when_hungry(std::function<void()> ask);
  void close();

  // -- for whoever reads --
  std::optional<stream_item> next(std::chrono::milliseconds patience);
  bool ended() const;
  bool overflowed() const;
  void when_ready(std::function<void()> wake);

 private:
  void offer_events(std::vector<recorded_event> events, bool bounded);
  void push(stream_item item, std::size_t bytes, bool bounded = true);
  void woken(std::unique_lock<std::mutex> lock);

  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::pair<stream_item, std::size_t>> items_;
  std::map<std::int64_t, recorded_event> early_; ///< events that came before those before them
  std::size_t bytes_ = 0;
  const std::size_t bytes_max_;
  std::int64_t next_;
  const bool follow_;
  bool closed_ = false;
  bool overflowed_ = false;
  std::function<void()> wake_;
  std::function<void()> ask_;
};

} // namespace troupe::actors
