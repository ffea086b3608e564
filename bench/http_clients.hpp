// Clients of an HTTP server on this machine: one that reads an event stream, and many that ask.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace troupe::bench {

/// A socket that is connected to a port of this machine.
class connection {
 public:
  explicit connection(std::uint16_t port);
  ~connection();
  connection(connection&& other) noexcept : socket_(other.socket_) { other.socket_ = -1; }
  connection& operator=(connection&&) = delete;

  int socket() const { return socket_; }
  void send(const std::string& bytes) const;
  /// More of what comes, appended; false at the end. Waits unless `wait` is false.
  bool receive(std::string& to, bool wait = true) const;

 private:
  int socket_;
};

struct sent_event {
  std::string name;
  std::string data;
};

/// One reader of a session's events after one of them; it is being served when this returns.
class event_reader {
 public:
  event_reader(std::uint16_t port, const std::string& session, std::int64_t after);
  /// The next event; throws at the stream's end.
  sent_event next();

 private:
  std::string next_line();
  connection from_;
  std::string pending_;
  std::size_t at_ = 0;
};

std::string get_request(const std::string& path);
std::string post_request(const std::string& path, const std::string& body);

/// Keep-alive connections with one request under way on each; all on the thread that calls.
class http_load {
 public:
  http_load(std::uint16_t port, std::size_t connections);
  /// Sends `count` requests, `request(i)` on the i-th connection as soon as it is free, and gives how many
  /// were answered a second. Throws at an answer with another status.
  double requests_per_second(
      std::size_t count, int status, const std::function<std::string(std::size_t connection)>& request);

 private:
  std::vector<connection> connections_;
};

} // namespace troupe::bench
