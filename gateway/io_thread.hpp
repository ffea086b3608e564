// A thread with the connections that it serves: everything of a connection happens on its thread.
#pragma once

#include "gateway/bounds.hpp"
#include "gateway/listener.hpp"

#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

namespace troupe::gateway {

namespace asio = boost::asio;
using boost::system::error_code;
using tcp = asio::ip::tcp;
/// Named by its context's executor: smaller and faster than the one for any.
using tcp_socket = asio::basic_stream_socket<tcp, asio::io_context::executor_type>;
using steady_time = std::chrono::steady_clock::time_point;

/// What the threads and connections of one server share.
struct server_state {
  bounds limits;
  request_handler answer;
  std::atomic<bool> draining{false};
  std::atomic<std::size_t> body_bytes{0}; ///< of all requests in memory
  std::atomic<std::size_t> connections{0};
  std::mutex mutex;                ///< for `changed` only
  std::condition_variable changed; ///< a connection has ended
};

class connection;

class io_thread : public std::enable_shared_from_this<io_thread> {
 public:
  explicit io_thread(std::shared_ptr<server_state> state);
  ~io_thread();
  void start();
  /// Closes every connection and ends the thread; work posted later is dropped.
  void stop();

  /// Runs `work` on the thread: at once if this is it, else in order. Nothing once it is stopped.
  template <class Work> void run(Work work) {
    if (std::this_thread::get_id() == id_)
      work();
    else
      post(std::move(work));
  }
  template <class Work> void post(Work work) {
    std::lock_guard guard(mutex_);
    if (!stopped_)
      asio::post(context_, std::move(work));
  }

  // The rest is for the thread itself.
  void add(tcp_socket socket);
  void forget(connection& one);
  /// Each connection ends as soon as what it does is done.
  void wind_up();
  std::string_view date(); ///< as HTTP writes it

  asio::io_context& context() { return context_; }
  server_state& state() { return *state_; }

  /// What was read last, and what was pulled last: no connection holds on to either.
  std::array<char, std::size_t{64} << 10> received;
  std::string pulled;

 private:
  void serve();
  void tick();
  std::chrono::milliseconds tick_length() const;

  std::shared_ptr<server_state> state_;
  asio::io_context context_{1};
  asio::executor_work_guard<asio::io_context::executor_type> guard_{context_.get_executor()};
  asio::steady_timer ticks_{context_};
  bool ticking_ = false;
  bool winding_up_ = false;
  std::vector<std::shared_ptr<connection>> connections_; ///< each knows its place
  std::time_t date_of_ = 0;
  std::string date_;
  std::atomic<std::thread::id> id_{}; ///< while it serves
  std::mutex mutex_;                  ///< for `stopped_`, and what is posted before it
  bool stopped_ = false;
  std::thread thread_;
};

} // namespace troupe::gateway
