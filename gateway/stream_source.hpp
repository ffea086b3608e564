// Where the bytes of an event stream come from, pulled whenever the client can take more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace troupe::gateway {

enum class stream_state : std::uint8_t {
  more,    ///< there is more at once
  waiting, ///< nothing now; the wake tells when
  ended,   ///< what was appended was the last
};

/// A slow client simply isn't asked for: the source bounds its own backlog. When the client leaves, the
/// source is released; its destructor is the place to unsubscribe.
class stream_source {
 public:
  virtual ~stream_source() = default;

  /// Appends whole events, about `bytes_about` in all, never waiting for anything. Called on an I/O
  /// thread that serves others too, never twice at once.
  virtual stream_state pull(std::string& out, std::size_t bytes_about) = 0;

  /// Called once, before the first pull. `wake` is to be called, from any thread, whenever something
  /// has come after a pull that answered `waiting`; once too often does no harm, nor does a wake
  /// after the client has left.
  virtual void set_wake(std::function<void()> wake) = 0;
};

} // namespace troupe::gateway
