// One request and its answer over one connection, at most two if the first was a dead pooled one.
#include "providers/http_exchange.hpp"

#include <algorithm>

namespace troupe::providers {

namespace {

constexpr std::size_t read_bytes = std::size_t{16} << 10;
/// How long the end of a body is waited for when the answer says that it is whole.
constexpr std::chrono::milliseconds linger{2000};

bool breaks_lines(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) != text.npos;
}

} // namespace

exchange::exchange(
    std::shared_ptr<http_client::core> client, http_request request, std::shared_ptr<http_reader> reader)
    : client_(std::move(client)), loop_(client_->loop), request_(std::move(request)),
      reader_(std::move(reader)), credit_(static_cast<std::int64_t>(client_->settings.credit)) {}

void exchange::acknowledge(std::size_t pieces) {
  credit_ += static_cast<std::int64_t>(pieces);
  if (done_ || !stalled_.exchange(false))
    return;
  if (auto loop = loop_.lock())
    loop->post([self = shared_from_this()] {
      if (!self->done_)
        self->read();
    });
}

void exchange::cancel() {
  if (done_)
    return;
  if (auto loop = loop_.lock())
    loop->post([self = shared_from_this()] { self->end(http_failure{http_failure::kind::cancelled, {}}); });
}

void exchange::start() {
  for (const auto& field : request_.fields)
    if (breaks_lines(field.name) || breaks_lines(field.value))
      return end(http_failure{http_failure::kind::protocol,
          "the header field " + field.name + " holds a line end; take it out of the configuration"});
  buffer_ = std::shared_ptr<char[]>(new char[read_bytes]);
  expires_ = std::chrono::steady_clock::now() + request_.timeouts.total;
  stream_ = client_->take_idle(request_.to);
  reused_ = stream_ != nullptr;
  if (reused_)
    send();
  else
    connect();
}

void exchange::connect() {
  auto loop = loop_.lock();
  if (!loop)
    return end(http_failure{http_failure::kind::cancelled, {}});
  stream_ = loop->make_transport(request_.to.tls);
  stream_->connect(
      request_.to, [self = shared_from_this()](const io_outcome& outcome) { self->connected(outcome); });
  expire_in(request_.timeouts.connect);
}

void exchange::connected(const io_outcome& outcome) {
  if (done_)
    return;
  if (outcome.ok())
    return send();
  if (outcome.fault == io_fault::timed_out)
    return end(http_failure{http_failure::kind::timeout,
        "connecting to " + peer() + " took longer than " + std::to_string(request_.timeouts.connect.count())
            + " ms"});
  end(http_failure{http_failure::kind::connect,
      "no connection to " + peer() + ": " + (outcome.detail.empty() ? "it was closed" : outcome.detail)});
}

std::string exchange::peer() const { return request_.to.host + ":" + std::to_string(request_.to.port); }

std::string exchange::head_text() const {
  auto standard = request_.to.port == (request_.to.tls ? 443 : 80);
  auto host =
      request_.to.host.find(':') == std::string::npos ? request_.to.host : "[" + request_.to.host + "]";
  auto text = request_.method + " " + request_.target + " HTTP/1.1\r\nhost: " + host
      + (standard ? "" : ":" + std::to_string(request_.to.port)) + "\r\nuser-agent: troupe/0.1\r\n"
      + "accept-encoding: identity\r\ncontent-length: " + std::to_string(request_.body.size()) + "\r\n";
  for (const auto& field : request_.fields)
    text += field.name + ": " + field.value + "\r\n";
  return text + "\r\n";
}

// The answer is read while the request is still going out: a refusal may come before all is sent.
void exchange::send() {
  parser_ = std::make_unique<http_parser>(http_role::response);
  written_ = false;
  auto stream = stream_;
  stream_->write(head_text() + request_.body, [self = shared_from_this(), stream](const io_outcome& outcome) {
    if (self->done_ || self->stream_ != stream || !outcome.ok())
      return; // why it broke, and what was answered before, is what the read tells
    self->written_ = true;
    if (!self->answered_)
      self->expire_in(self->request_.timeouts.first_byte);
  });
  stream_->read(buffer_.get(), read_bytes,
      [self = shared_from_this(), buffer = buffer_, stream](const io_outcome& outcome, std::size_t bytes) {
        if (self->stream_ == stream)
          self->took(outcome, bytes);
      });
  expire_in(request_.timeouts.first_byte);
}

void exchange::read() {
  if (!complete_ && credit_ <= 0) {
    stream_->expire_at(transport::never); // it is the reader who is slow
    stalled_ = true;
    if (credit_ <= 0 || !stalled_.exchange(false))
      return;
  }
  stream_->read(buffer_.get(), read_bytes,
      [self = shared_from_this(), buffer = buffer_](
          const io_outcome& outcome, std::size_t bytes) { self->took(outcome, bytes); });
  expire_in(complete_ ? linger : request_.timeouts.idle);
}

void exchange::close(bool reusable) {
  auto stream = std::exchange(stream_, nullptr);
  if (!stream)
    return;
  if (reusable)
    client_->give_back(request_.to, std::move(stream));
  else
    stream->close();
}

void exchange::end(std::optional<http_failure> failed) {
  if (done_.exchange(true))
    return;
  auto self = shared_from_this();
  close(false);
  auto reader = std::exchange(reader_, nullptr);
  client_->ended(*this);
  parser_.reset();
  buffer_.reset();
  request_ = {};
  if (reader)
    reader->on_end(std::move(failed));
}

void exchange::expire_in(std::chrono::milliseconds time) {
  stream_->expire_at(std::min(expires_, std::chrono::steady_clock::now() + time));
}

} // namespace troupe::providers
