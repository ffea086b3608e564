// A reader on a thread of its own that goes away and comes again until it has a session's whole log.
#pragma once

#include "tests/crash/server_program.hpp"
#include "tests/crash/stream_account.hpp"

#include <limits>
#include <random>
#include <thread>

namespace troupe::testing {

enum class habit : std::uint8_t {
  steady,            ///< stays as long as the server does
  after_every_event, ///< comes again after each committed event
  at_any_byte,       ///< goes in the middle of whatever
};

class stream_follower {
 public:
  stream_follower(server_program& server, std::string session, habit how, unsigned seed);
  ~stream_follower();
  stream_follower(const stream_follower&) = delete;
  stream_follower& operator=(const stream_follower&) = delete;

  /// It ends once it has this event.
  void end_at(std::int64_t head) { until_ = head; }
  void join() { thread_.join(); }
  /// What came; to be read after `join`, but for `last`.
  const stream_account& account() const { return account_; }

 private:
  void run();
  void connect_once();
  bool is_over() const { return account_.last() >= until_ || std::chrono::steady_clock::now() > latest_; }

  server_program& server_;
  std::string session_;
  habit how_;
  std::mt19937 random_;
  stream_account account_;
  std::atomic<std::int64_t> until_{std::numeric_limits<std::int64_t>::max()};
  const std::chrono::steady_clock::time_point latest_; ///< a test that is wrong ends by itself
  std::thread thread_;
};

} // namespace troupe::testing
