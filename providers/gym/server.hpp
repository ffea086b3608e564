// The gym: a model server over HTTP that follows a script, or answers as a small model without one.
//
// Everything runs on one thread of its own. `POST /v1/messages` and `POST /v1/chat/completions` are
// checked by the real services' rules and answered as a stream or whole; `POST /gym/release/NAME` lets
// a held stream go on; `GET /gym/requests` lists what was asked.
#pragma once

#include "providers/gym/script.hpp"

#include <chrono>
#include <memory>

namespace troupe::providers::gym {

struct server_settings {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;      ///< 0: any that is free
  std::optional<script> rules; ///< absent: the small model
};

/// How much of what was asked is kept for `GET /gym/requests`; the oldest goes first.
inline constexpr std::size_t requests_kept_max = 1000;
inline constexpr std::size_t requests_kept_bytes_max = std::size_t{16} << 20;
inline constexpr std::size_t request_bytes_max = std::size_t{32} << 20;

class server {
 public:
  /// Listens when it returns. Errors: `unavailable` if the port is taken, `invalid_input` for a host
  /// that is no IP address.
  static result<std::unique_ptr<server>> start(server_settings settings);
  ~server();

  std::uint16_t port() const;
  /// As a provider's `base_url` wants it: `http://127.0.0.1:PORT`.
  std::string base_url() const;
  /// Closes every connection and ends the thread.
  void stop();

  // For tests in the same process, from any thread:

  /// As `POST /gym/release/NAME`: streams held there go on; with none there, the next one to come
  /// isn't held. Answers how many went on.
  std::size_t release(const std::string& name);
  /// Waits until a stream is held at `name`; false when the time is up.
  bool wait_until_held(const std::string& name, std::chrono::milliseconds patience);
  /// Waits until `count` requests have come; false when the time is up.
  bool wait_for_requests(std::size_t count, std::chrono::milliseconds patience);
  /// As `GET /gym/requests`.
  std::string requests() const;
  /// The connections that are open now.
  std::size_t connections() const;

  struct core;

 private:
  server();
  std::shared_ptr<core> core_;
};

} // namespace troupe::providers::gym
