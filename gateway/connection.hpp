// One client: its requests one after the other, each with its answer or its stream.
//
// Sockets are never waited for in a call: a connection reads when there is something to read, into its
// thread's buffer, and writes what the kernel takes. An idle one holds no buffer at all.
#pragma once

#include "gateway/io_thread.hpp"
#include "gateway/request_parser.hpp"

#include <optional>
#include <utility>

namespace troupe::gateway {

class connection final : public peer, public std::enable_shared_from_this<connection> {
 public:
  connection(std::shared_ptr<io_thread> on, tcp_socket socket);

  // From any thread.
  void answer(std::uint64_t number, response what) override;
  void stream(std::uint64_t number, response head, std::shared_ptr<stream_source> source) override;
  void when_gone(std::uint64_t number, std::function<void()> work) override;
  bool draining() const override;

  // On the thread.
  void start();
  /// Does what is due; called every now and then.
  void look_at_clock(steady_time now);
  /// Ends after what is under way; a stream after the event that it is at.
  void wind_up();
  void close();

  std::size_t place = 0; ///< among the thread's connections

 private:
  enum class phase : std::uint8_t {
    reading,   ///< a request, or waiting for one
    answering, ///< handed over; once it is `answered_`, its answer is being written
    streaming,
    lingering, ///< refused or done for: what still comes is dropped until the client closes
    closed,
  };

  // connection_reading.cpp
  void watch();
  void read_what_is_there();
  void take(std::string_view bytes);
  void take_held();
  void set_reading_time(bool was_started, bool had_head);
  void invite();
  /// False if all the bodies in memory are more than may be.
  bool account_for(std::size_t body_bytes);
  void hand_over();
  void refuse(response what);
  void client_ended();
  void tell_gone();

  // connection_writing.cpp
  bool owes(std::uint64_t number) const {
    return phase_ == phase::answering && number_ == number && !answered_;
  }
  void begin_answer();
  void send(response what);
  void begin_stream(response head, std::shared_ptr<stream_source> source);
  void wake(); ///< from any thread
  void pump();
  void pull();
  void append_chunk(std::string_view bytes);
  void end_source();
  void end_stream();
  void say_alive();
  bool write_out();
  void wait_for_room();
  void over();
  void linger();

  void expire_in(std::chrono::milliseconds time) { deadline_ = std::chrono::steady_clock::now() + time; }
  const bounds& limits() const { return on_->state().limits; }

  std::shared_ptr<io_thread> on_;
  tcp_socket socket_;
  phase phase_ = phase::reading;
  bool watching_ = false;      ///< waits for bytes
  bool write_waiting_ = false; ///< waits for room
  bool taking_ = false;        ///< `take` is on the stack
  bool client_ended_ = false;  ///< it sends nothing more
  bool keep_alive_ = false;    ///< of the request in hand
  bool head_only_ = false;     ///< it was a HEAD
  bool chunked_ = true;
  bool answered_ = false;
  bool invited_ = false;
  bool winding_up_ = false;
  bool source_waits_ = false;
  bool ending_ = false; ///< the stream ends once its source has nothing more at hand
  std::atomic<bool> woken_{false};
  std::uint64_t number_ = 0;    ///< of the exchange in hand
  steady_time deadline_;        ///< of the phase
  std::size_t body_bytes_ = 0;  ///< accounted for
  std::size_t timed_bytes_ = 0; ///< of the body, when its deadline was set
  std::optional<request_parser> parser_;
  std::string held_; ///< what came behind the request in hand
  std::string head_; ///< to be written first, then the body
  std::string body_;
  std::size_t written_ = 0;
  std::shared_ptr<stream_source> source_;
  std::function<void()> gone_;
};

} // namespace troupe::gateway
