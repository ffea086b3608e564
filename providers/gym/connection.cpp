// One client of the gym: its bytes in and out.
#include "providers/gym/server_core.hpp"

#include <array>
#include <charconv>

namespace troupe::providers::gym {

namespace {

/// A client that sends more than this while it is being answered isn't read any further.
constexpr std::size_t unread_bytes_max = std::size_t{1} << 20;

constexpr std::string_view stream_head =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n"
    "cache-control: no-cache\r\ntransfer-encoding: chunked\r\n";

std::string_view reason_of(int status) {
  switch (status) {
  case 200:
    return "OK";
  case 400:
    return "Bad Request";
  case 401:
    return "Unauthorized";
  case 403:
    return "Forbidden";
  case 404:
    return "Not Found";
  case 405:
    return "Method Not Allowed";
  case 413:
    return "Content Too Large";
  case 429:
    return "Too Many Requests";
  case 500:
    return "Internal Server Error";
  case 529:
    return "Overloaded";
  default:
    return "Answer";
  }
}

void append_chunk(std::string& out, std::string_view bytes) {
  std::array<char, 20> digits{};
  auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), bytes.size(), 16);
  out.append(digits.data(), end).append("\r\n").append(bytes).append("\r\n");
}

} // namespace

// A read is always under way, also during an answer: so a client that leaves is noticed.
void connection::read() {
  reading_ = true;
  stream_->read(buffer_.data(), buffer_.size(),
      [self = shared_from_this()](const io_outcome& outcome, std::size_t bytes) {
        self->reading_ = false;
        if (self->closed_)
          return;
        if (!outcome.ok())
          return self->close();
        self->unread_.append(self->buffer_.data(), bytes);
        self->take_requests();
      });
}

void connection::take_requests() {
  while (!busy_ && !closed_ && !unread_.empty()) {
    auto used = parser_->feed(unread_, body_);
    if (!used) {
      keep_alive_ = false;
      unread_.clear();
      auto error = service_->of_status(used.error().code == problem_code::too_large ? 413 : 400);
      error.message = used.error().detail;
      send_error(error);
      break;
    }
    unread_.erase(0, *used);
    if (!parser_->done()) {
      invite();
      break;
    }
    busy_ = true;
    keep_alive_ = parser_->keep_alive();
    handle();
  }
  if (!closed_ && !reading_ && unread_.size() < unread_bytes_max)
    read();
}

// A client with a big body may wait for a word before it sends it.
void connection::invite() {
  if (invited_ || !parser_->head_done() || !parser_->head().find("expect"))
    return;
  invited_ = true;
  out_ += "HTTP/1.1 100 Continue\r\n\r\n";
  send();
}

// What the stream has so far becomes one chunk for the socket.
void connection::frame() {
  if (!streaming_ || !begun_)
    return;
  if (!head_framed_)
    out_.append(stream_head)
        .append(service_->request_id_field())
        .append(": req_gym_")
        .append(std::to_string(number_))
        .append(keep_alive_ ? "\r\n\r\n" : "\r\nconnection: close\r\n\r\n");
  head_framed_ = true;
  if (!events_.empty())
    append_chunk(out_, events_);
  events_.clear();
}

void connection::end_stream() {
  frame();
  out_ += "0\r\n\r\n";
  answered_ = true;
  send();
}

void connection::send() {
  if (writing_ || out_.empty() || closed_)
    return;
  writing_ = true;
  stream_->write(std::exchange(out_, {}), [self = shared_from_this()](const io_outcome& outcome) {
    self->writing_ = false;
    if (self->closed_)
      return;
    if (!outcome.ok())
      return self->close();
    self->sent();
  });
}

void connection::sent() {
  if (!out_.empty())
    return send();
  if (close_after_ || (answered_ && !keep_alive_))
    return close();
  if (!answered_)
    return;
  busy_ = answered_ = begun_ = head_framed_ = invited_ = streaming_ = false;
  parser_ = std::make_unique<http_parser>(http_role::request, request_bytes_max);
  body_.clear();
  events_.clear(); // an answer as one object leaves the stream that it would have been
  answer_.reset();
  steps_.clear();
  take_requests();
}

void connection::close() {
  if (closed_)
    return;
  closed_ = true;
  if (delay_)
    delay_->cancel();
  delay_.reset();
  stream_->close();
  server_->forget(shared_from_this());
}

void connection::send_error(const service_error& error, std::string_view more_fields) {
  send_document(error.status, service_->document(error, number_), more_fields);
}

void connection::send_document(int status, std::string_view body, std::string_view more_fields) {
  busy_ = true;
  answered_ = true;
  out_ += "HTTP/1.1 " + std::to_string(status) + " " + std::string(reason_of(status))
      + "\r\ncontent-type: application/json\r\n" + std::string(service_->request_id_field()) + ": req_gym_"
      + std::to_string(number_) + "\r\n" + std::string(more_fields)
      + (keep_alive_ ? "" : "connection: close\r\n") + "content-length: " + std::to_string(body.size())
      + "\r\n\r\n" + std::string(body);
  send();
}

} // namespace troupe::providers::gym
