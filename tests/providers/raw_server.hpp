// A server that does exactly what a test says, byte by byte, on plain sockets.
#pragma once

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace troupe::providers::testing {

class raw_connection {
 public:
  explicit raw_connection(int socket) : socket_(socket) {
    timeval limit{20, 0}; // a test that is wrong ends by itself
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  }
  ~raw_connection() { ::close(socket_); }
  raw_connection(const raw_connection&) = delete;
  raw_connection& operator=(const raw_connection&) = delete;

  /// One request with its body; empty when the client has left.
  std::string read_request() {
    std::string got = std::exchange(ahead_, {});
    while (true) {
      if (auto end = got.find("\r\n\r\n"); end != std::string::npos) {
        std::size_t length = 0;
        if (auto at = got.find("content-length: "); at < end)
          length = std::stoul(got.substr(at + 16));
        if (got.size() >= end + 4 + length) {
          ahead_ = got.substr(end + 4 + length);
          return got.substr(0, end + 4 + length);
        }
      }
      if (!read_more(got))
        return {};
    }
  }
  bool write(std::string_view bytes) {
    while (!bytes.empty()) {
      auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0)
        return false;
      written += static_cast<std::size_t>(sent);
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  /// True if the client closes or says something within the time.
  bool left_within(std::chrono::milliseconds time) const {
    pollfd watched{socket_, POLLIN, 0};
    return ::poll(&watched, 1, static_cast<int>(time.count())) > 0;
  }
  /// Blocks until the client has closed.
  void wait_closed() {
    std::string ignored;
    while (read_more(ignored))
      ignored.clear();
  }
  void reset() {
    linger hard{1, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  }
  void shut() { ::shutdown(socket_, SHUT_RDWR); }
  int descriptor() const { return socket_; }
  void small_buffers() {
    int size = 4096;
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
  }

  std::atomic<std::size_t> written{0};

 private:
  bool read_more(std::string& into) {
    char buffer[4096];
    auto got = ::recv(socket_, buffer, sizeof buffer, 0);
    if (got <= 0)
      return false;
    into.append(buffer, static_cast<std::size_t>(got));
    return true;
  }
  int socket_;
  std::string ahead_;
};

class raw_server {
 public:
  using behaviour = std::function<void(raw_connection&, int number)>;

  explicit raw_server(behaviour behave)
      : behave_(std::move(behave)), socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    if (::bind(socket_, reinterpret_cast<sockaddr*>(&at), size) != 0 || ::listen(socket_, 64) != 0)
      throw std::runtime_error("no socket to listen on");
    ::getsockname(socket_, reinterpret_cast<sockaddr*>(&at), &size);
    port_ = ntohs(at.sin_port);
    acceptor_ = std::thread([this] { accept(); });
  }
  ~raw_server() {
    ::shutdown(socket_, SHUT_RDWR);
    acceptor_.join();
    {
      std::lock_guard guard(mutex_);
      for (auto& open : open_)
        if (auto alive = open.lock())
          alive->shut();
    }
    for (auto& worker : workers_)
      worker.join();
    ::close(socket_);
  }
  std::uint16_t port() const { return port_; }
  int accepted() const { return accepted_; }

 private:
  void accept() {
    while (true) {
      int client = ::accept(socket_, nullptr, nullptr);
      if (client < 0)
        return;
      auto connection = std::make_shared<raw_connection>(client);
      int number = ++accepted_;
      std::lock_guard guard(mutex_);
      open_.push_back(connection);
      workers_.emplace_back(
          [this, connection = std::move(connection), number] { behave_(*connection, number); });
    }
  }

  behaviour behave_;
  int socket_;
  std::uint16_t port_ = 0;
  std::atomic<int> accepted_{0};
  std::mutex mutex_;
  std::vector<std::weak_ptr<raw_connection>> open_;
  std::vector<std::thread> workers_;
  std::thread acceptor_;
};

} // namespace troupe::providers::testing
