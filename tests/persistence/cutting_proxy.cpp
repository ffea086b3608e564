// Forwards bytes with poll, one thread a connection.
#include "tests/persistence/cutting_proxy.hpp"

#include <cstring>

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace troupe::persistence {

namespace {

sockaddr_un address_of(const std::string& path) {
  sockaddr_un out{};
  out.sun_family = AF_UNIX;
  std::strncpy(out.sun_path, path.c_str(), sizeof out.sun_path - 1);
  return out;
}

bool pass_on(int from, int to) {
  char buffer[65536];
  const auto size = ::read(from, buffer, sizeof buffer);
  return size > 0 && ::send(to, buffer, static_cast<std::size_t>(size), MSG_NOSIGNAL) == size;
}

bool drop(int from) {
  char buffer[65536];
  return ::read(from, buffer, sizeof buffer) > 0;
}

} // namespace

cutting_proxy::cutting_proxy(const std::string& url) : url_(url) {
  const auto host = test_cluster().place().string();
  server_socket_ = host + "/.s.PGSQL.5432";
  url_.replace(url_.find(host), host.size(), directory_.path.string());
  const auto address = address_of(directory_.path.string() + "/.s.PGSQL.5432");
  listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  BOOST_REQUIRE(::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  BOOST_REQUIRE(::listen(listener_, 16) == 0);
  BOOST_REQUIRE(::pipe(closed_) == 0);
  acceptor_ = std::thread([this] { serve(); });
}

cutting_proxy::~cutting_proxy() {
  ::close(closed_[1]);
  acceptor_.join();
  for (auto& connection : connections_)
    connection.join();
  ::close(closed_[0]);
  ::close(listener_);
}

void cutting_proxy::serve() {
  for (;;) {
    pollfd ready[2] = {{listener_, POLLIN, 0}, {closed_[0], POLLIN, 0}};
    if (::poll(ready, 2, -1) < 0 || ready[1].revents != 0)
      return;
    const int client = ::accept(listener_, nullptr, nullptr);
    if (client >= 0)
      connections_.emplace_back([this, client] { forward(client); });
  }
}

bool cutting_proxy::takes(cut kind) {
  const bool is_so = cut_.compare_exchange_strong(kind, cut::nothing);
  cuts_ += is_so ? 1 : 0;
  return is_so;
}

void cutting_proxy::forward(int client) {
  const int server = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto address = address_of(server_socket_);
  bool silent = false;
  bool open = ::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  while (open) {
    pollfd ready[3] = {{client, POLLIN, 0}, {server, POLLIN, 0}, {closed_[0], POLLIN, 0}};
    if (::poll(ready, 3, -1) < 0 || ready[2].revents != 0)
      break;
    for (const auto& [from, to, kind, unnoticed] :
        {std::tuple(0, server, cut::request, cut::request_unnoticed),
            std::tuple(1, client, cut::answer, cut::answer_unnoticed)}) {
      if (ready[from].revents == 0 || !open)
        continue;
      const bool breaks = takes(kind);
      silent = takes(unnoticed) || silent;
      open = !breaks && (silent ? drop(ready[from].fd) : pass_on(ready[from].fd, to));
    }
  }
  ::close(server);
  ::close(client);
}

} // namespace troupe::persistence
