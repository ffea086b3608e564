// A thread that looks now and then whether anything moves on the connection of the call that is under way.
#include "persistence/answer_watch.hpp"

#include <system_error>

#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace troupe::persistence {

namespace {

/// Bytes that were acknowledged and received so far; 0 on a local socket, where no line is slow.
std::uint64_t bytes_moved(int socket) {
  tcp_info told{};
  socklen_t size = sizeof told;
  if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &told, &size) != 0)
    return 0;
  return told.tcpi_bytes_acked + told.tcpi_bytes_received;
}

} // namespace

answer_watch::~answer_watch() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  closing_changed_.notify_one();
  if (looks_.joinable())
    looks_.join();
}

void answer_watch::begin(int socket) {
  const std::lock_guard lock(mutex_);
  socket_ = ::fcntl(socket, F_DUPFD_CLOEXEC, 0);
  moved_ = bytes_moved(socket);
  until_ = std::chrono::steady_clock::now() + patience_;
  if (looks_.joinable())
    return;
  try {
    looks_ = std::thread([this] { look(); });
  } catch (const std::system_error&) { // no thread to be had: this call goes unwatched, the next tries again
  }
}

void answer_watch::end() {
  const std::lock_guard lock(mutex_);
  if (socket_ >= 0)
    ::close(socket_);
  socket_ = -1;
}

void answer_watch::look() {
  std::unique_lock lock(mutex_);
  while (!closing_changed_.wait_for(lock, patience_ / 8, [this] { return closing_; })) {
    if (socket_ < 0)
      continue;
    if (const auto moved = bytes_moved(socket_); moved != moved_) {
      moved_ = moved;
      until_ = std::chrono::steady_clock::now() + patience_;
    }
    if (std::chrono::steady_clock::now() > until_)
      ::shutdown(socket_, SHUT_RDWR); // the call's thread finds the end of its connection
  }
}

} // namespace troupe::persistence
