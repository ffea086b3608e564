// Blocking sockets for readers, epoll for the load.
#include "bench/http_clients.hpp"

#include <array>
#include <chrono>
#include <stdexcept>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace troupe::bench {

connection::connection(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const int yes = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  // closed by a reset: ten thousand ports that wait for their time would be missed later
  const linger at_once{1, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  at.sin_port = htons(port);
  if (socket_ < 0 || ::connect(socket_, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0)
    throw std::runtime_error("no connection to port " + std::to_string(port));
}

connection::~connection() {
  if (socket_ >= 0)
    ::close(socket_);
}

void connection::send(const std::string& bytes) const {
  if (::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(bytes.size()))
    throw std::runtime_error("a request couldn't be sent");
}

bool connection::receive(std::string& to, bool wait) const {
  std::array<char, 16384> buffer;
  const auto got = ::recv(socket_, buffer.data(), buffer.size(), wait ? 0 : MSG_DONTWAIT);
  if (got > 0)
    to.append(buffer.data(), static_cast<std::size_t>(got));
  return got > 0;
}

event_reader::event_reader(std::uint16_t port, const std::string& session, std::int64_t after) : from_(port) {
  from_.send("GET /v1/sessions/" + session + "/events?after=" + std::to_string(after)
      + " HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n");
  if (const auto status = next_line(); !status.starts_with("HTTP/1.1 200"))
    throw std::runtime_error("no event stream: " + status);
  while (next_line() != "\r") {
  }
}

std::string event_reader::next_line() {
  std::size_t end = 0;
  while ((end = pending_.find('\n', at_)) == std::string::npos) {
    pending_.erase(0, at_);
    at_ = 0;
    if (!from_.receive(pending_))
      throw std::runtime_error("an event stream ended");
  }
  std::string line = pending_.substr(at_, end - at_);
  at_ = end + 1;
  return line;
}

// The server writes whole events a chunk, so that the lines between chunks can be passed over.
sent_event event_reader::next() {
  sent_event event;
  while (true) {
    const std::string line = next_line();
    if (line.starts_with("event: "))
      event.name = line.substr(7);
    else if (line.starts_with("data: "))
      event.data = line.substr(6);
    else if (line.empty() && !event.name.empty())
      return event;
  }
}

std::string get_request(const std::string& path) {
  return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
}

std::string post_request(const std::string& path, const std::string& body) {
  return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
      + std::to_string(body.size()) + "\r\n\r\n" + body;
}

namespace {

// Whether a whole answer is there; it is taken then.
bool take_answer(std::string& from, int status) {
  const auto head_end = from.find("\r\n\r\n");
  if (head_end == std::string::npos)
    return false;
  const std::string_view head = std::string_view(from).substr(0, head_end);
  auto length_at = head.find("content-length: ");
  if (length_at == std::string_view::npos)
    length_at = head.find("Content-Length: ");
  if (!head.starts_with("HTTP/1.1 " + std::to_string(status)) || length_at == std::string_view::npos)
    throw std::runtime_error("an unexpected answer: " + from.substr(0, 500));
  const std::size_t whole = head_end + 4 + std::stoul(from.substr(length_at + 16, 20));
  if (from.size() < whole)
    return false;
  from.erase(0, whole);
  return true;
}

} // namespace

http_load::http_load(std::uint16_t port, std::size_t connections) {
  for (std::size_t i = 0; i < connections; ++i)
    connections_.emplace_back(port);
}

double http_load::requests_per_second(
    std::size_t count, int status, const std::function<std::string(std::size_t connection)>& request) {
  const int poll = ::epoll_create1(EPOLL_CLOEXEC);
  std::vector<std::string> answers(connections_.size());
  std::size_t sent = 0;
  std::size_t answered = 0;
  const auto send_next = [&](std::size_t i) {
    if (sent++ < count)
      connections_[i].send(request(i));
  };
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    epoll_event wanted{};
    wanted.events = EPOLLIN;
    wanted.data.u64 = i;
    ::epoll_ctl(poll, EPOLL_CTL_ADD, connections_[i].socket(), &wanted);
    send_next(i);
  }
  std::array<epoll_event, 256> ready{};
  while (answered < count) {
    const int events = ::epoll_wait(poll, ready.data(), static_cast<int>(ready.size()), -1);
    for (int k = 0; k < events; ++k) {
      const auto i = static_cast<std::size_t>(ready[static_cast<std::size_t>(k)].data.u64);
      if (!connections_[i].receive(answers[i], false))
        throw std::runtime_error("the server closed a connection");
      if (take_answer(answers[i], status)) {
        ++answered;
        send_next(i);
      }
    }
  }
  ::close(poll);
  return static_cast<double>(count)
      / std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

} // namespace troupe::bench
