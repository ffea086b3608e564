// From bytes to requests, one at a time; and clients that leave, dawdle or break the rules.
#include "gateway/connection.hpp"

#include "telemetry/log.hpp"

#include <algorithm>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>

namespace troupe::gateway {

namespace {
/// A client that sends more than this behind a request isn't read any further until that is answered.
constexpr std::size_t held_bytes_max = std::size_t{64} << 10;
/// A body has its time for each so many bytes.
constexpr std::size_t timed_bytes = std::size_t{64} << 10;
constexpr std::string_view invitation = "HTTP/1.1 100 Continue\r\n\r\n";
} // namespace

connection::connection(std::shared_ptr<io_thread> on, tcp_socket socket)
    : on_(std::move(on)), socket_(std::move(socket)) {}

void connection::start() {
  error_code ignored;
  socket_.non_blocking(true, ignored);
  socket_.set_option(tcp::no_delay(true), ignored);
  expire_in(limits().idle_timeout);
  watch();
}

// Always under way but for a client that is far ahead: so one that leaves is noticed.
void connection::watch() {
  const bool is_ahead = phase_ == phase::answering && held_.size() >= held_bytes_max;
  if (watching_ || client_ended_ || phase_ == phase::closed || is_ahead)
    return;
  watching_ = true;
  socket_.async_wait(tcp_socket::wait_read, [self = shared_from_this()](const error_code& error) {
    self->watching_ = false;
    if (self->phase_ == phase::closed)
      return;
    if (error)
      return self->close();
    self->read_what_is_there();
  });
}

void connection::read_what_is_there() {
  error_code error;
  const std::size_t size = socket_.read_some(asio::buffer(on_->received), error);
  if (error == asio::error::would_block)
    return watch();
  if (error == asio::error::eof)
    return client_ended();
  if (error)
    return close();
  const std::string_view bytes(on_->received.data(), size);
  if (phase_ == phase::reading)
    take(bytes);
  else if (phase_ == phase::answering)
    held_ += bytes;
  watch();
}

void connection::take(std::string_view bytes) {
  taking_ = true; // an answer given at once comes back to here
  while (phase_ == phase::reading && !bytes.empty()) {
    if (!parser_)
      parser_.emplace(limits());
    const bool was_started = parser_->started();
    const bool had_head = parser_->head_done();
    bytes.remove_prefix(parser_->feed(bytes));
    if (const auto& wrong = parser_->wrong()) {
      refuse(problem_document(wrong->why, wrong->detail));
    } else if (!account_for(parser_->body_bytes())) {
      refuse(problem_document(problem{problem_code::unavailable,
          "the server holds as many request bodies as it may now and changed nothing; send it again later",
          {}}));
    } else if (parser_->done()) {
      hand_over();
    } else {
      set_reading_time(was_started, had_head);
      invite();
    }
  }
  taking_ = false;
  if (phase_ == phase::answering)
    held_ = bytes;
}

void connection::take_held() {
  if (!held_.empty())
    take(std::exchange(held_, {}));
}

void connection::set_reading_time(bool was_started, bool had_head) {
  if (parser_->head_done() && (!had_head || parser_->body_bytes() >= timed_bytes_ + timed_bytes)) {
    timed_bytes_ = parser_->body_bytes();
    expire_in(limits().body_timeout);
  } else if (!was_started && parser_->started()) {
    expire_in(limits().head_timeout);
  }
}

void connection::invite() {
  if (invited_ || !parser_->wants_invitation())
    return;
  invited_ = true;
  error_code error; // the socket's buffer is empty: the request before this one has its answer
  socket_.write_some(asio::buffer(invitation), error);
}

bool connection::account_for(std::size_t body_bytes) {
  if (body_bytes == body_bytes_)
    return true;
  auto& all = on_->state().body_bytes;
  const std::size_t before = std::exchange(body_bytes_, body_bytes);
  if (body_bytes < before) {
    all -= before - body_bytes;
    return true;
  }
  return (all += body_bytes - before) <= limits().bodies_bytes_max;
}

void connection::hand_over() {
  phase_ = phase::answering;
  answered_ = false;
  invited_ = false;
  keep_alive_ = parser_->keep_alive();
  chunked_ = !parser_->is_http_1_0();
  expire_in(limits().answer_timeout);
  auto asked = parser_->take();
  asked.json_depth_max = limits().json_depth_max;
  parser_.reset();
  head_only_ = asked.method == "HEAD";
  try { // a handler that throws has dropped its exchange, which answers 500; the other clients go on
    on_->state().answer(std::make_shared<exchange>(std::move(asked), shared_from_this(), ++number_));
  } catch (const std::exception& fault) {
    telemetry::log(telemetry::level::error, "a handler threw", {{"what", fault.what()}});
  }
}

void connection::refuse(response what) {
  parser_.reset();
  phase_ = phase::answering;
  ++number_;
  keep_alive_ = head_only_ = false;
  send(std::move(what));
}

// It may have closed its half only and still read the answer. To a reader of events there is none.
void connection::client_ended() {
  client_ended_ = true;
  if (phase_ != phase::answering)
    return close();
  if (!answered_)
    tell_gone();
}

void connection::tell_gone() {
  if (const auto work = std::exchange(gone_, {}))
    work();
}

void connection::look_at_clock(steady_time now) {
  if (now < deadline_)
    return;
  if (write_waiting_ || phase_ == phase::lingering)
    return close();
  if (phase_ == phase::reading) {
    if (!parser_ || !parser_->started())
      return close();
    return refuse(problem_document(refusal::request_timeout, "the request didn't come in time"));
  }
  if (phase_ == phase::answering) {
    tell_gone();
    if (!answered_)
      send(problem_document(problem{
          problem_code::timeout, "no answer came in time; whether anything changed isn't known", {}}));
  } else if (phase_ == phase::streaming) {
    say_alive();
  }
}

void connection::wind_up() {
  winding_up_ = true;
  if (phase_ == phase::reading && (!parser_ || !parser_->started()))
    close();
  else if (phase_ == phase::streaming)
    end_stream();
}

void connection::close() {
  if (phase_ == phase::closed)
    return;
  const auto self = shared_from_this();
  const bool is_owed = phase_ == phase::answering && !answered_;
  phase_ = phase::closed;
  account_for(0);
  parser_.reset();
  source_.reset();
  for (std::string* each : {&held_, &head_, &body_})
    std::string().swap(*each);
  error_code ignored;
  socket_.close(ignored);
  on_->forget(*this);
  if (is_owed)
    tell_gone();
  gone_ = {};
}

} // namespace troupe::gateway
