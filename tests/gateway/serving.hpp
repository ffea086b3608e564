// A server with a handful of routes, one for each way to answer.
#pragma once

#include "gateway/listener.hpp"
#include "gateway/router.hpp"
#include "tests/gateway/client.hpp"

#include <condition_variable>
#include <mutex>

namespace troupe::gateway::testing {

/// A stream that a test pushes into; tells when the server lets go of it.
class pushed_events {
 public:
  void push(std::string event);
  void end();
  std::shared_ptr<stream_source> source();
  std::size_t pulled_bytes();
  /// False if it isn't let go of within 20 s.
  bool wait_released();
  bool wait_pulled(std::size_t bytes);
  /// From now on there is always more.
  void make_endless();

  struct state;

 private:
  std::shared_ptr<state> state_ = make_state();
  static std::shared_ptr<state> make_state();
};

class serving {
 public:
  explicit serving(bounds limits = {}, std::size_t threads = 2);
  ~serving();

  std::uint16_t port() const { return server_->port(); }
  listener& server() { return *server_; }
  void stop() { server_->stop(); }
  /// What was asked of `/v1/later` and nobody has answered; waits for it.
  std::shared_ptr<exchange> take_later();
  /// True once the client of `/v1/later` has left.
  bool wait_gone();

  pushed_events events; ///< of `GET /v1/events`

 private:
  router routes_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::shared_ptr<exchange>> later_;
  int gone_ = 0;
  std::unique_ptr<listener> server_;
};

} // namespace troupe::gateway::testing
