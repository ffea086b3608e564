// Answers and streams onto the socket: what the kernel takes at once, the rest when there is room.
#include "gateway/connection.hpp"
#include "gateway/sse_writer.hpp"

#include <array>
#include <charconv>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>

namespace troupe::gateway {

namespace {
/// About so much of a stream is in a connection's hands at once.
constexpr std::size_t pull_bytes = std::size_t{16} << 10;
/// Pulls before others have their turn.
constexpr int pulls_max = 8;
/// A buffer for pulling that has grown beyond this isn't kept.
constexpr std::size_t pulled_bytes_kept = std::size_t{256} << 10;
constexpr std::string_view last_chunk = "0\r\n\r\n";

void free(std::string& text) { std::string().swap(text); }
} // namespace

void connection::answer(std::uint64_t number, response what) {
  on_->run([self = shared_from_this(), number, what = std::move(what)]() mutable {
    if (self->owes(number))
      self->send(std::move(what));
  });
}

void connection::stream(std::uint64_t number, response head, std::shared_ptr<stream_source> source) {
  on_->run([self = shared_from_this(), number, head = std::move(head), source = std::move(source)]() mutable {
    if (self->owes(number))
      self->begin_stream(std::move(head), std::move(source));
  });
}

void connection::when_gone(std::uint64_t number, std::function<void()> work) {
  on_->run([self = shared_from_this(), number, work = std::move(work)]() mutable {
    if (self->number_ != number || self->answered_)
      return;
    self->gone_ = std::move(work);
    if (self->client_ended_ || self->phase_ == phase::closed)
      self->tell_gone();
  });
}

bool connection::draining() const { return on_->state().draining; }

void connection::begin_answer() {
  answered_ = true;
  gone_ = {};
  account_for(0);
  keep_alive_ = keep_alive_ && !winding_up_ && !draining();
}

void connection::send(response what) {
  begin_answer();
  head_ = head_of(what, framing::length, on_->date(), keep_alive_);
  if (!head_only_ && what.status != 204 && what.status != 304)
    body_ = std::move(what.body);
  if (write_out())
    over();
}

void connection::begin_stream(response head, std::shared_ptr<stream_source> source) {
  begin_answer();
  keep_alive_ = keep_alive_ && chunked_;
  const framing frame = head_only_ ? framing::none : chunked_ ? framing::chunks : framing::until_close;
  head_ = head_of(head, frame, on_->date(), keep_alive_);
  phase_ = phase::streaming;
  held_.clear();
  if (!head_only_) {
    source_ = std::move(source);
    source_->set_wake([weak = weak_from_this()] {
      if (const auto self = weak.lock())
        self->wake();
    });
  }
  source_waits_ = false;
  pump();
}

void connection::wake() {
  if (woken_.exchange(true))
    return;
  on_->post([self = shared_from_this()] {
    self->woken_ = false;
    self->source_waits_ = false;
    if (self->phase_ == phase::streaming)
      self->pump();
  });
}

void connection::pump() {
  for (int pulls = 0; phase_ == phase::streaming; ++pulls) {
    if (!write_out())
      return;
    if (!source_)
      return over();
    if (source_waits_ && ending_) {
      end_source();
      continue;
    }
    if (source_waits_)
      return expire_in(limits().comment_interval);
    if (pulls == pulls_max)
      return wake();
    pull();
  }
}

void connection::pull() {
  auto pulled = std::exchange(on_->pulled, {}); // a source may lead back to another stream of this thread
  pulled.clear();
  const auto source = source_;
  const stream_state state = source->pull(pulled, pull_bytes);
  if (phase_ != phase::streaming || !source_)
    return;
  source_waits_ = state == stream_state::waiting;
  append_chunk(pulled);
  if (state == stream_state::ended)
    end_source();
  if (pulled.capacity() <= pulled_bytes_kept)
    on_->pulled = std::move(pulled);
}

void connection::append_chunk(std::string_view bytes) {
  if (bytes.empty()) // an empty chunk would be the last
    return;
  if (!chunked_) {
    body_ += bytes;
    return;
  }
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), bytes.size(), 16).ptr;
  body_.append(digits.data(), end).append("\r\n").append(bytes).append("\r\n");
}

void connection::end_source() {
  source_.reset();
  if (chunked_)
    body_ += last_chunk;
}

void connection::end_stream() {
  keep_alive_ = false;
  if (!source_)
    return;
  ending_ = true;
  source_waits_ = false; // what has come is sent first
  pump();
}

void connection::say_alive() {
  std::string line;
  append_comment(line, "keep-alive");
  append_chunk(line);
  pump();
}

/// True if nothing is left to be written; else it goes on by itself, or the connection is closed.
bool connection::write_out() {
  if (write_waiting_)
    return false;
  while (written_ < head_.size() + body_.size()) {
    const std::size_t of_body = written_ - std::min(written_, head_.size());
    const std::array<asio::const_buffer, 2> left{
        asio::buffer(head_) + written_, asio::buffer(body_) + of_body};
    error_code error;
    written_ += socket_.write_some(left, error);
    if (error == asio::error::would_block || error == asio::error::try_again) {
      wait_for_room();
      return false;
    }
    if (error) {
      close();
      return false;
    }
  }
  written_ = 0;
  free(head_);
  free(body_);
  return true;
}

void connection::wait_for_room() {
  write_waiting_ = true;
  expire_in(limits().stall_timeout);
  socket_.async_wait(tcp_socket::wait_write, [self = shared_from_this()](const error_code& error) {
    self->write_waiting_ = false;
    if (self->phase_ == phase::closed)
      return;
    if (error)
      return self->close();
    if (self->phase_ == phase::streaming)
      self->pump();
    else if (self->write_out())
      self->over();
  });
}

// The answer is written: the next request, or the end.
void connection::over() {
  if (!keep_alive_)
    return linger();
  if (winding_up_)
    return close();
  phase_ = phase::reading;
  timed_bytes_ = 0;
  expire_in(limits().idle_timeout);
  if (taking_)
    return;
  take_held();
  if (phase_ == phase::reading && client_ended_)
    return close();
  watch();
}

// Closing with bytes unread would reset the connection, and the client might never see the answer.
void connection::linger() {
  error_code ignored;
  socket_.shutdown(tcp_socket::shutdown_send, ignored);
  phase_ = phase::lingering;
  free(held_);
  expire_in(limits().linger);
  client_ended_ ? close() : watch();
}

} // namespace troupe::gateway
