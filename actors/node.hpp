// A node: the actor system with all that runs in it, and sessions as plain handles. No CAF in here.
#pragma once

#include "actors/node_parts_settings.hpp"
#include "actors/stream_reading.hpp"
#include "session/state.hpp"

#include <functional>

namespace troupe::actors {

class node;

/// What came of a message.
struct acceptance {
  std::string message_id;
  std::int64_t seq = 0;
  bool duplicate = false;
};

/// A session that this node holds. A value; many may point at one session.
class session_handle {
 public:
  const std::string& id() const;
  bool created() const;
  const persistence::session_row& row() const;

  /// Returns when the message is committed. An empty id is made up. Errors: `closed`, `conflict`,
  /// `too_large`, `invalid_input`, `fenced`, `unavailable`.
  result<acceptance> post(accept_message message);
  /// The same, answered on a thread of the node: the callback must be quick and not wait.
  void post(accept_message message, std::function<void(result<acceptance>)> then);
  /// Any other command; returns when its events are committed.
  result<std::int64_t> order(command what);
  /// Stops what runs at once, whatever the database does; returns when the fact is committed.
  result<std::int64_t> abort(const std::string& by);
  /// The state when the session is idle (or parked or closed), or with `attention` also when it waits
  /// for somebody; absent when the time is up.
  result<std::optional<std::shared_ptr<const session::state>>> wait(
      bool attention, std::chrono::milliseconds patience);
  /// The state when the session is idle next, having seen all that this handle was told; as above.
  void when_idle(std::function<void(result<std::shared_ptr<const session::state>>)> then);
  /// The state as it is now. Errors: `timeout` while the agent waits for the database.
  result<std::shared_ptr<const session::state>> look(
      std::chrono::milliseconds patience = std::chrono::minutes(1));
  /// The events after `after`, then what happens live, until it is dropped.
  std::unique_ptr<live_stream> follow(std::int64_t after);

 private:
  friend class node;
  struct parts;
  std::shared_ptr<parts> parts_;
};

class node {
 public:
  /// Registers the node and takes its lease. Errors: `unavailable`.
  static result<std::unique_ptr<node>> start(node_settings settings);
  /// Lets go of every session, then leaves.
  ~node();
  node(const node&) = delete;
  node& operator=(const node&) = delete;

  /// The session, made if it isn't there (`either`), or not (`find`, `create`). What was cut off in it
  /// goes on by itself. Errors: `not_found`, `conflict`, `owned_elsewhere`, `invalid_input`.
  result<session_handle> open(options wanted, opening how, bool can_ask = true);

 private:
  struct insides;
  explicit node(std::unique_ptr<insides> in);
  std::unique_ptr<insides> in_;
};

} // namespace troupe::actors
