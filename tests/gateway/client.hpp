// A client that sends exactly the bytes that a test gives it, on a blocking socket.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace troupe::gateway::testing {

struct received {
  int status = 0; ///< 0: the server closed without an answer
  std::map<std::string, std::string> headers;
  std::string body;
  bool has(const std::string& name, std::string_view value) const {
    const auto found = headers.find(name);
    return found != headers.end() && found->second == value;
  }
};

class client {
 public:
  explicit client(std::uint16_t port, int receive_buffer = 0)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const timeval limit{20, 0}; // a test that is wrong ends by itself
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    const int yes = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (receive_buffer > 0)
      ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    at.sin_port = htons(port);
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0)
      throw std::runtime_error("nobody listens");
  }
  ~client() { ::close(socket_); }
  client(const client&) = delete;
  client& operator=(const client&) = delete;

  /// False if the server has closed.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0)
        return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void send_no_more() { ::shutdown(socket_, SHUT_WR); }

  bool read_more() {
    char buffer[16384];
    const auto got = ::recv(socket_, buffer, sizeof buffer, 0);
    if (got > 0)
      ahead_.append(buffer, static_cast<std::size_t>(got));
    return got > 0;
  }
  /// Everything up to the end of the connection.
  std::string read_all() {
    while (read_more())
      ;
    return std::exchange(ahead_, {});
  }
  /// Everything up to and with `mark`; what there was if the connection ended before.
  std::string read_to(std::string_view mark) {
    std::size_t at = 0;
    while ((at = ahead_.find(mark)) == std::string::npos)
      if (!read_more())
        return std::exchange(ahead_, {});
    auto out = ahead_.substr(0, at + mark.size());
    ahead_.erase(0, out.size());
    return out;
  }
  received read_head() {
    received out;
    const std::string head = read_to("\r\n\r\n");
    if (!head.starts_with("HTTP/1.1 ") || head.size() < 15)
      return out;
    out.status = std::stoi(head.substr(9, 3));
    for (auto at = head.find("\r\n") + 2; head.substr(at, 2) != "\r\n"; at = head.find("\r\n", at) + 2) {
      const auto colon = head.find(": ", at);
      out.headers[head.substr(at, colon - at)] = head.substr(colon + 2, head.find("\r\n", at) - colon - 2);
    }
    return out;
  }
  received read_answer(bool head_only = false) {
    received out = read_head();
    if (head_only || out.status == 0 || out.status == 204)
      return out;
    if (out.has("transfer-encoding", "chunked")) {
      for (std::string chunk = read_chunk(); !chunk.empty(); chunk = read_chunk())
        out.body += chunk;
    } else if (out.headers.contains("content-length")) {
      out.body = read_bytes(std::stoul(out.headers["content-length"]));
    } else {
      out.body = read_all();
    }
    return out;
  }
  /// Empty at the last chunk and at the end of the connection.
  std::string read_chunk() {
    const std::string size = read_to("\r\n");
    if (size.empty())
      return {};
    std::string chunk = read_bytes(std::stoul(size, nullptr, 16) + 2);
    chunk.resize(chunk.size() - std::min<std::size_t>(chunk.size(), 2));
    return chunk;
  }
  std::string read_bytes(std::size_t count) {
    while (ahead_.size() < count && read_more())
      ;
    auto out = ahead_.substr(0, count);
    ahead_.erase(0, out.size());
    return out;
  }
  received ask(std::string_view bytes) {
    send(bytes);
    return read_answer();
  }
  received get(const std::string& target) { return ask("GET " + target + " HTTP/1.1\r\nHost: x\r\n\r\n"); }
  received post(const std::string& target, std::string_view body) {
    return ask("POST " + target + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: "
        + std::to_string(body.size()) + "\r\n\r\n" + std::string(body));
  }

 private:
  int socket_;
  std::string ahead_;
};

} // namespace troupe::gateway::testing
