// The HTTP client: POST something, get the answer piece by piece, at the reader's own pace.
#pragma once

#include "providers/http_message.hpp"
#include "providers/transport.hpp"

#include <chrono>
#include <functional>
#include <memory>

namespace troupe::providers {

/// An answer that isn't a success is read up to this; what follows is left out.
inline constexpr std::size_t error_body_bytes_max = std::size_t{1} << 20;

struct http_timeouts {
  std::chrono::milliseconds connect{10'000};
  std::chrono::milliseconds first_byte{60'000}; ///< from sending the request, again from its last byte
  std::chrono::milliseconds idle{120'000};      ///< between two reads, while there is credit
  std::chrono::milliseconds total{3'600'000};   ///< of the attempt; a server that drips for ever ends here
};

struct http_request {
  std::string method = "POST";
  endpoint to;
  std::string target = "/";
  std::vector<http_field> fields; ///< `host`, `content-length`, `accept-encoding`, `connection` are ours
  std::string body;
  http_timeouts timeouts;
};

/// Why no whole answer came.
struct http_failure {
  enum class kind : std::uint8_t {
    connect,   // no connection
    timeout,   // connecting, the first byte, or the next one took too long
    network,   // the connection broke before anything of the answer had come
    truncated, // it broke in the middle of the answer
    protocol,  // what came isn't HTTP/1.1, or is over a bound
    cancelled,
  };
  kind what = kind::network;
  std::string detail;
};

/// What the reader has made of a piece.
struct http_taken {
  bool used_credit = false; ///< it was passed on to somebody who will acknowledge it
  bool complete =
      false;         ///< the answer says that it is whole: only the end of the body is waited for, briefly
  bool stop = false; ///< nothing more is wanted: the connection is closed, `on_end` is not called
};

/// Reads one answer; called on the client's thread, never again after `on_end`.
class http_reader {
 public:
  virtual ~http_reader() = default;
  virtual void on_head(const http_head& head) = 0;
  /// What one network read brought of the body; at most `error_body_bytes_max` altogether if the
  /// status isn't 2xx.
  virtual http_taken on_body(std::string_view bytes) = 0;
  /// The body is whole (absent), or why it isn't.
  virtual void on_end(std::optional<http_failure> failed) = 0;
};

/// One exchange under way. Letting go of it doesn't stop it. From any thread.
class http_exchange {
 public:
  virtual ~http_exchange() = default;
  /// Credit for `pieces` more calls of `on_body` that use it; without credit nothing is read.
  virtual void acknowledge(std::size_t pieces) = 0;
  /// The connection is closed at once and `on_end` gets `cancelled`, unless it had its end.
  virtual void cancel() = 0;
};

struct http_client_settings {
  std::size_t max_concurrent = 64;       ///< exchanges at once; the rest waits its turn
  std::size_t idle_connections_max = 64; ///< kept for each host
  std::chrono::seconds idle_connection_age{60};
  std::size_t credit = 4; ///< what an exchange begins with
  tls_settings tls{};
};

/// Owns one thread and the connections. Redirects aren't followed: they are answers like any other.
class http_client {
 public:
  explicit http_client(http_client_settings settings = {});
  /// Ends everything under way as cancelled.
  ~http_client();
  http_client(const http_client&) = delete;
  http_client& operator=(const http_client&) = delete;

  std::shared_ptr<http_exchange> send(http_request request, std::shared_ptr<http_reader> reader);
  /// Runs `work` on the client's thread.
  void post(std::function<void()> work);

  struct core;

 private:
  std::shared_ptr<io_loop> loop_;
  std::shared_ptr<core> core_;
};

} // namespace troupe::providers
