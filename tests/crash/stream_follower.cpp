// Reads byte by byte, so that it can go away behind any of them.
#include "tests/crash/stream_follower.hpp"

#include "providers/http_parser.hpp"
#include "tests/gateway/client.hpp"

namespace troupe::testing {

stream_follower::stream_follower(server_program& server, std::string session, habit how, unsigned seed)
    : server_(server), session_(std::move(session)), how_(how), random_(seed),
      latest_(std::chrono::steady_clock::now() + 3 * patience), thread_([this] { run(); }) {}

stream_follower::~stream_follower() {
  end_at(0);
  if (thread_.joinable())
    thread_.join();
}

void stream_follower::run() {
  while (!is_over()) {
    server_.wait_until_up();
    try {
      connect_once();
    } catch (const std::runtime_error&) { // nobody listens: it was killed
    }
  }
}

void stream_follower::connect_once() {
  gateway::testing::client connection(server_.port());
  connection.send("GET /v1/sessions/" + session_ + "/events HTTP/1.1\r\nHost: localhost\r\nAccept: "
      + "text/event-stream\r\nLast-Event-ID: " + std::to_string(account_.last()) + "\r\n\r\n");
  account_.connected();
  std::size_t bytes_left = std::numeric_limits<std::size_t>::max();
  if (how_ == habit::at_any_byte)
    bytes_left = random_() % (random_() % 2 == 0 ? 1'000 : 20'000);
  providers::http_parser answer(providers::http_role::response);
  std::string brought;
  for (; bytes_left > 0 && !answer.done(); --bytes_left) {
    const auto byte = connection.read_bytes(1);
    if (byte.empty() || is_over())
      return;
    if (!answer.feed(byte, brought))
      return account_.breach("no lawful HTTP came");
    if (answer.head_done() && answer.head().status != 200) {
      if (answer.head().status != 503)
        account_.breach("a status of " + std::to_string(answer.head().status));
      return;
    }
    while (const auto event = take_event(brought)) {
      account_.take(*event);
      if (how_ == habit::after_every_event && !event->id.empty())
        return;
    }
  }
}

} // namespace troupe::testing
