// A server over a node in memory, and a client that speaks JSON.
#pragma once

#include "gateway/server.hpp"
#include "messages/json.hpp"
#include "tests/actors/stage.hpp"
#include "tests/gateway/client.hpp"
#include "tests/served/answered.hpp"

namespace troupe::testing {

/// A stream of events on a connection of its own.
class event_reader {
 public:
  event_reader(std::uint16_t port, const std::string& session, const std::string& query = {},
      const std::string& last_id = {});
  int status() const { return status_; }
  /// The next event; without a name at the stream's end.
  sent_event next();
  /// Reads on until one has this name.
  sent_event until(const std::string& name);
  /// Reads the past of a new session; from here on it is shown what is never stored, too.
  void until_live() { until("session.created"); }

 private:
  gateway::testing::client client_;
  int status_ = 0;
  std::string pending_;
};

class served {
 public:
  explicit served(const std::string& rules, const std::function<void(actors::node_settings&)>& tune = {},
      gateway::server_settings settings = {});
  ~served();

  answered get(const std::string& path) { return ask("GET", path, {}); }
  answered post(const std::string& path, const std::string& body = {}) { return ask("POST", path, body); }
  answered patch(const std::string& path, const std::string& body) { return ask("PATCH", path, body); }
  answered remove(const std::string& path) { return ask("DELETE", path, {}); }
  answered ask(const std::string& method, const std::string& path, const std::string& body);

  /// Makes a session with the stage's tools; `more` are further members.
  void make(const std::string& id, const std::string& more = {});
  answered say(const std::string& id, const std::string& text, const std::string& more = {});
  /// Sends a list of blocks, given as JSON.
  answered say_blocks(const std::string& id, const std::string& blocks);
  /// Waits until it is idle, and gives it.
  answered until_idle(const std::string& id);
  answered until_attention(const std::string& id);
  std::uint16_t port() const { return server_->port(); }
  gateway::server& server() { return *server_; }
  /// Leaves, and serves the same store by another node, on another port.
  void start_anew(const std::function<void(actors::node_settings&)>& tune = {});

  stage play;
  std::unique_ptr<actors::node> node;

 private:
  void leave();
  std::unique_ptr<gateway::server> server_;
};

} // namespace troupe::testing
