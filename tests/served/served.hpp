// A server over a node in memory, and a client that speaks JSON.
#pragma once

#include "gateway/server.hpp"
#include "messages/json.hpp"
#include "tests/actors/stage.hpp"
#include "tests/gateway/client.hpp"

namespace troupe::testing {

/// An answer: its status, and its body as JSON where it is JSON.
struct answered {
  int status = 0;
  std::string body;
  /// The text of a member by its path, as `usage/input_tokens`; strings without quotes, empty if it isn't
  /// there.
  std::string at(std::string_view path) const;
  std::size_t size(std::string_view path) const;
};

/// One event of a stream.
struct sent_event {
  std::string id;
  std::string name;
  std::string data;
  std::string at(std::string_view path) const { return answered{200, data}.at(path); }
};

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

 private:
  gateway::testing::client client_;
  int status_ = 0;
  std::string pending_;
};

class served {
 public:
  explicit served(const std::string& rules, const std::function<void(actors::node_settings&)>& tune = {});
  ~served();

  answered get(const std::string& path) { return ask("GET", path, {}); }
  answered post(const std::string& path, const std::string& body = {}) { return ask("POST", path, body); }
  answered patch(const std::string& path, const std::string& body) { return ask("PATCH", path, body); }
  answered remove(const std::string& path) { return ask("DELETE", path, {}); }
  answered ask(const std::string& method, const std::string& path, const std::string& body);

  /// Makes a session with the stage's tools; `more` are further members.
  void make(const std::string& id, const std::string& more = {});
  answered say(const std::string& id, const std::string& text, const std::string& more = {});
  /// Waits until it is idle, and gives it.
  answered until_idle(const std::string& id);
  answered until_attention(const std::string& id);
  std::uint16_t port() const { return server_->port(); }
  gateway::server& server() { return *server_; }

  stage play;
  std::unique_ptr<actors::node> node;

 private:
  std::unique_ptr<gateway::server> server_;
};

} // namespace troupe::testing
