// A session's live stream, for whoever reads it: on a thread of their own, or woken when something comes.
#pragma once

#include "messages/event.hpp"
#include "providers/provider.hpp"

#include <chrono>
#include <functional>

namespace troupe::actors {

/// Live and not durable: more of a block that isn't committed yet.
struct live_delta {
  std::string inference_id;
  std::int64_t block = 0;
  providers::block_kind kind = providers::block_kind::text;
  std::uint64_t offset = 0; ///< in bytes from the block's start
  std::string text;
};

/// Live and not durable: an inference is tried again.
struct live_retry {
  std::string inference_id;
  std::int64_t attempt = 0;
  std::int64_t delay_ms = 0;
  std::string why;
};

/// Live and not durable: what a call that runs has to say so far.
struct live_progress {
  std::string execution_id;
  std::int64_t attempt = 1;
  std::string text;
};

/// Live and not durable: all of a block so far, for a reader that comes in the middle of it.
struct live_partial {
  std::string inference_id;
  std::int64_t block = 0;
  providers::block_kind kind = providers::block_kind::text;
  std::string text;
};

using live_item = std::variant<live_delta, live_retry, live_progress>;
/// An event as readers get it: what the log leaves out because another event has it is filled in.
using stream_item = std::variant<recorded_event, live_delta, live_retry, live_progress, live_partial>;

class live_stream {
 public:
  virtual ~live_stream() = default;
  /// Calls `wake` on whatever thread brings something, or the end; it must be quick and not wait.
  /// Once at once, if something is there already.
  virtual void when_ready(std::function<void()> wake) = 0;
  /// The next item, or nothing when the time is up or the stream has ended (`ended` tells).
  virtual std::optional<stream_item> next(std::chrono::milliseconds patience) = 0;
  virtual bool ended() const = 0;
  /// True if it ended because the reader was too far behind; it can come again after its last event.
  virtual bool overflowed() const = 0;
};

} // namespace troupe::actors
