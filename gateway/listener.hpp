// The HTTP server: listens, keeps the connections on I/O threads of its own, drains and stops.
#pragma once

#include "gateway/bounds.hpp"
#include "gateway/exchange.hpp"
#include "messages/result.hpp"

namespace troupe::gateway {

struct listener_settings {
  std::string host = "127.0.0.1"; ///< an IP address, v4 or v6, or `localhost`
  std::uint16_t port = 0;         ///< 0: any that is free
  std::size_t threads = 2;
  bounds limits = {};
};

/// Called on an I/O thread for each request.
using request_handler = std::function<void(std::shared_ptr<exchange>)>;

class listener {
 public:
  /// Listens when it returns. Errors: `unavailable` if the port is taken, `invalid_input` for a host that
  /// is no IP address.
  static result<std::unique_ptr<listener>> start(listener_settings settings, request_handler answer);
  /// As `stop`.
  ~listener();
  listener(const listener&) = delete;
  listener& operator=(const listener&) = delete;

  std::uint16_t port() const;
  /// `http://127.0.0.1:PORT`.
  std::string base_url() const;
  /// The connections that are open now.
  std::size_t connections() const;
  /// Waits until no more than `most` are; false when the time is up.
  bool wait_connections(std::size_t most, std::chrono::milliseconds patience);

  // In this order, from any thread but its own:

  /// From now on every exchange says that it is `draining`, and its answer ends its connection.
  /// Connections are still accepted: who asks should be told, and probes want to see it.
  void begin_drain();
  /// Accepts nothing more, closes what is idle, ends the streams with what they have at hand, and
  /// waits until the other exchanges are answered. False if some weren't when the time was up.
  bool finish(std::chrono::milliseconds patience);
  /// Closes every connection and ends the threads. Answers that come later go nowhere.
  void stop();

  struct core;

 private:
  listener();
  std::shared_ptr<core> core_;
};

} // namespace troupe::gateway
