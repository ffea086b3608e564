// The transport over an Asio stream, plain or TLS; only the two units that instantiate it include this.
#pragma once

#include "providers/transport.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

namespace troupe::providers {

namespace asio = boost::asio;
using boost::system::error_code;

/// What the two kinds share: deadlines, connecting, and the rule that a stream outlives its
/// operations (an Asio stream that dies under a pending operation takes the process with it).
template <class Stream>
class stream_transport : public transport, public std::enable_shared_from_this<stream_transport<Stream>> {
 public:
  template <class... Arguments>
  explicit stream_transport(asio::io_context& context, Arguments&&... arguments)
      : stream_(std::forward<Arguments>(arguments)...), resolver_(context), timer_(context) {}

  void connect(const endpoint& to, done answer) override {
    ++pending_;
    auto self = this->shared_from_this();
    to_ = to;
    error_code not_numeric;
    auto address = asio::ip::make_address(to.host, not_numeric);
    if (!not_numeric) {
      socket().async_connect({address, to.port},
          [self, answer = std::move(answer)](error_code error) mutable { self->connected(error, answer); });
      return;
    }
    resolver_.async_resolve(to.host, std::to_string(to.port),
        [self, answer = std::move(answer)](
            error_code error, asio::ip::tcp::resolver::results_type found) mutable {
          if (error || self->closed_)
            return self->connected(error ? error : asio::error::operation_aborted, answer);
          asio::async_connect(self->socket(), found,
              [self, answer = std::move(answer)](error_code failed, const asio::ip::tcp::endpoint&) mutable {
                self->connected(failed, answer);
              });
        });
  }

  void read(char* into, std::size_t size, read_done answer) override {
    ++pending_;
    stream_.async_read_some(asio::buffer(into, size),
        [self = this->shared_from_this(), answer = std::move(answer)](error_code error, std::size_t bytes) {
          --self->pending_;
          answer(self->outcome(error), bytes);
        });
  }

  void write(std::string bytes, done answer) override {
    ++pending_;
    writing_ = std::move(bytes);
    asio::async_write(stream_, asio::buffer(writing_),
        [self = this->shared_from_this(), answer = std::move(answer)](error_code error, std::size_t) {
          --self->pending_;
          self->writing_ = {};
          answer(self->outcome(error));
        });
  }

  // One timer for all deadlines of the stream. It is set again only where the new deadline is
  // earlier; otherwise it fires, sees that there is time left, and waits for the rest.
  void expire_at(steady_time at) override {
    deadline_ = at;
    if (at != never && (!armed_ || at < armed_until_))
      arm();
  }

  void close() override {
    closed_ = true;
    deadline_ = never;
    error_code ignored;
    resolver_.cancel();
    timer_.cancel();
    socket().close(ignored);
  }

  bool is_quiet() override {
    if (closed_ || !socket().is_open())
      return false;
    char byte = 0;
    auto got = ::recv(socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  }

 protected:
  auto& socket() { return stream_.lowest_layer(); }

  /// What remains after the TCP connection stands: nothing, or the handshake.
  virtual void secure(std::function<void(error_code)> answer) { answer({}); }

  /// What is told of a failure.
  virtual std::string explain(error_code error) const { return error.message(); }

  Stream stream_;
  endpoint to_;

 private:
  void connected(error_code error, done& answer) {
    if (error || closed_) {
      --pending_;
      error_code ignored;
      socket().close(ignored);
      return answer(outcome(error ? error : asio::error::operation_aborted));
    }
    error_code unsupported; // both only make it better
    socket().set_option(asio::ip::tcp::no_delay(true), unsupported);
    socket().set_option(asio::socket_base::keep_alive(true), unsupported);
    secure([self = this->shared_from_this(), answer = std::move(answer)](error_code failed) {
      --self->pending_;
      answer(self->outcome(failed));
    });
  }

  io_outcome outcome(error_code error) const {
    if (timed_out_)
      return {io_fault::timed_out, {}};
    if (!error)
      return closed_ ? io_outcome{io_fault::cancelled, {}} : io_outcome{};
    if (closed_ || error == asio::error::operation_aborted)
      return {io_fault::cancelled, {}};
    if (is_end(error))
      return {io_fault::closed, {}};
    return {io_fault::failed, explain(error)};
  }

  /// An end without close_notify is an end like any other: HTTP says whether the body was whole.
  static bool is_end(error_code error) {
    return error == asio::error::eof || std::string_view(error.category().name()) == "asio.ssl.stream";
  }

  void arm() {
    armed_ = true;
    armed_until_ = deadline_;
    timer_.expires_at(deadline_); // ends a wait under way
    timer_.async_wait([self = this->shared_from_this()](error_code error) {
      if (error || self->closed_)
        return;
      self->armed_ = false;
      if (self->deadline_ == never)
        return;
      if (std::chrono::steady_clock::now() < self->deadline_ || self->pending_ == 0)
        return self->pending_ == 0 ? void() : self->arm();
      self->timed_out_ = true;
      self->close();
    });
  }

  asio::ip::tcp::resolver resolver_;
  asio::steady_timer timer_;
  std::string writing_;
  steady_time deadline_ = never;
  steady_time armed_until_{};
  int pending_ = 0;
  bool armed_ = false;
  bool closed_ = false;
  bool timed_out_ = false;
};

} // namespace troupe::providers
