// Byte streams and clocks on one thread: all that this room knows of sockets, without Asio's headers.
#pragma once

#include "messages/result.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace troupe::providers {

using steady_time = std::chrono::steady_clock::time_point;

enum class io_fault : std::uint8_t {
  none,
  closed,    // the other side ended the stream in order
  failed,    // it broke, or never came to be; `detail` says how
  timed_out, // the moment of `expire_at` has come
  cancelled, // `close` was called
};

struct io_outcome {
  io_fault fault = io_fault::none;
  std::string detail;
  bool ok() const { return fault == io_fault::none; }
};

struct endpoint {
  std::string host;
  std::uint16_t port = 0;
  bool tls = false;
  auto operator<=>(const endpoint&) const = default;
};

/// How the other side proves who it is. Always verified; only the anchors can be chosen.
struct tls_settings {
  std::string ca_file; ///< PEM; empty: the system's
};

/// A byte stream. All calls and all answers are on the loop's thread; one read and one write may be
/// under way at once, and every one of them answers exactly once, never from within the call.
class transport {
 public:
  using done = std::function<void(io_outcome)>;
  using read_done = std::function<void(io_outcome, std::size_t)>;

  virtual ~transport() = default;
  virtual void connect(const endpoint& to, done answer) = 0;
  /// Reads at least one byte; `into` must live until the answer.
  virtual void read(char* into, std::size_t size, read_done answer) = 0;
  /// Writes all of `bytes`.
  virtual void write(std::string bytes, done answer) = 0;
  /// What is under way at `at` fails with `timed_out` and the stream is closed; `never` is no bound.
  virtual void expire_at(steady_time at) = 0;
  /// What is under way fails with `cancelled`.
  virtual void close() = 0;
  /// True if the other side has neither closed nor said anything since the last read.
  virtual bool is_quiet() = 0;

  static constexpr steady_time never = steady_time::max();
};

/// A wait that can be called off.
class timer {
 public:
  virtual ~timer() = default;
  virtual void cancel() = 0;
};

/// Accepts connections until it is closed or destroyed, on the loop's thread.
class listener {
 public:
  virtual ~listener() = default;
  virtual std::uint16_t port() const = 0;
  virtual void close() = 0;
};

/// One thread that runs everything of its owner.
class io_loop {
 public:
  explicit io_loop(tls_settings tls = {});
  /// Ends the thread; what is under way is answered `cancelled` or dropped.
  ~io_loop();
  io_loop(const io_loop&) = delete;
  io_loop& operator=(const io_loop&) = delete;

  /// Runs `work` on the thread, in order; from any thread.
  void post(std::function<void()> work);
  void stop();

  // The rest is for the loop's thread.
  std::shared_ptr<transport> make_transport(bool tls);
  std::shared_ptr<timer> after(std::chrono::milliseconds delay, std::function<void()> work);

  /// Listens at once; may be called from any thread. Errors: `unavailable` if the address is taken.
  result<std::shared_ptr<listener>> listen(
      const std::string& host, std::uint16_t port, std::function<void(std::shared_ptr<transport>)> accepted);

  struct core;

 private:
  std::shared_ptr<core> core_;
};

} // namespace troupe::providers
