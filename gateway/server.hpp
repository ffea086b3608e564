// The server: a node's sessions over HTTP.
#pragma once

#include "actors/node.hpp"
#include "gateway/listener.hpp"
#include "gateway/routes/api.hpp"

namespace troupe::gateway {

struct server_settings {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0; ///< 0: any that is free
  api_bounds limits;
  bounds http;
  std::string version = "0";
};

/// One tenant, `default`, without keys: so it listens on loopback alone, and takes no request that a page
/// of another origin sends through a browser.
class server {
 public:
  /// Listens when it returns. The node must end before the server is destroyed: its actors may still be
  /// answering. Errors: `invalid_input` for an address that isn't
  /// loopback, `unavailable` if the port is taken.
  static result<std::unique_ptr<server>> start(actors::node& node, server_settings settings);

  std::uint16_t port() const { return listener_->port(); }
  std::string base_url() const { return listener_->base_url(); }
  /// Takes no new work, lets runs come to their end, then ends the streams and closes. False if something
  /// still ran when the time was up: it goes on from the log, wherever the session is taken next.
  bool drain(std::chrono::milliseconds patience);
  /// How many clients wait for a session just now, about.
  std::size_t waiting() const { return held_->size(); }

 private:
  server() = default;
  actors::node* node_ = nullptr;
  std::shared_ptr<held_exchanges> held_;
  std::unique_ptr<router> routes_;
  std::unique_ptr<listener> listener_;
};

} // namespace troupe::gateway
