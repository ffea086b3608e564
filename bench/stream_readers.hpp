// Readers of sessions' streams that know when they got what: in the process, and over HTTP.
#pragma once

#include "bench/http_clients.hpp"
#include "bench/stage.hpp"
#include "bench/stamped_gym.hpp"

namespace troupe::bench {

/// What a reader got, and when it had it in its hands.
struct got_item {
  enum class kind { delta, run_finished, other } what = kind::other;
  std::string inference; ///< of a delta, with its place
  std::int64_t block = 0;
  std::uint64_t offset = 0;
  moment when;
};

class timed_reader {
 public:
  virtual ~timed_reader() = default;
  virtual got_item next() = 0;
};

/// From the session's head on.
std::unique_ptr<timed_reader> read_in_process(actors::session_handle& session);
std::unique_ptr<timed_reader> read_over_http(std::uint16_t port, actors::session_handle& session);

/// Milliseconds that lay between a provider's bytes and the reader.
struct added_times {
  std::vector<double> first;  ///< of the first delta of each answer
  std::vector<double> deltas; ///< of all
  std::vector<double> ends;   ///< from the last byte to `run.finished`, which is durable before it is read
  void append(const added_times& other);
};

/// Posts the prompt and reads until the run is finished, so many times.
added_times read_turns(actors::session_handle& session, timed_reader& reader, const std::string& prompt,
    int turns, const arrivals& came);

} // namespace troupe::bench
