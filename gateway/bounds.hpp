// Every bound of the HTTP server: what a client may ask for, hold and wait for.
#pragma once

#include <chrono>
#include <cstddef>

namespace troupe::gateway {

struct bounds {
  std::size_t url_bytes_max = std::size_t{8} << 10;      ///< beyond: 414
  std::size_t headers_bytes_max = std::size_t{32} << 10; ///< beyond: 431
  std::size_t headers_max = 128;                         ///< fields of one request; beyond: 431
  std::size_t body_bytes_max = std::size_t{32} << 20;    ///< beyond: 413
  int json_depth_max = 64;                               ///< levels of a body's JSON; beyond: 400
  /// Of all bodies that are in memory at once; beyond: 503, and the client tries again.
  std::size_t bodies_bytes_max = std::size_t{256} << 20;
  std::size_t connections_max = 20'000; ///< beyond: 503

  std::chrono::milliseconds head_timeout{10'000};     ///< from the first byte of a head to its last; 408
  std::chrono::milliseconds body_timeout{30'000};     ///< for each 64 KiB of a body; 408
  std::chrono::milliseconds idle_timeout{75'000};     ///< between two requests; the connection is closed
  std::chrono::milliseconds stall_timeout{60'000};    ///< a client that takes nothing of its answer; closed
  std::chrono::milliseconds answer_timeout{600'000};  ///< for an answer of ours; 504
  std::chrono::milliseconds comment_interval{10'000}; ///< a quiet stream says that it lives
  /// How long a refused client may go on sending before its connection is closed under it.
  std::chrono::milliseconds linger{2'000};
};

} // namespace troupe::gateway
