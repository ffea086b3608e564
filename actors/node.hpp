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

/// What a compaction came to.
struct compaction_report {
  std::int64_t seq = 0; ///< of the event that made the context smaller; 0: there was nothing to leave out
  std::optional<std::int64_t> tokens_before; ///< of the context's messages, estimated; of a summary
  std::optional<std::int64_t> tokens_after;
  std::size_t cleared = 0; ///< results that are shown no more
};

template <class T> using then = std::function<void(result<T>)>;

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
  void post(accept_message message, then<acceptance> answer);
  /// Any other command; returns the head when its events are committed.
  result<std::int64_t> order(command what);
  void order(command what, then<std::int64_t> answer);
  /// The same, answered with the events; null where it changed nothing.
  void order_for_events(command what, then<std::shared_ptr<const std::vector<event>>> answer);
  /// Makes the context smaller: at once where the session is idle, else before the run's next inference or
  /// when it is over. Answered at its end. Errors: `conflict` where it failed, and nothing was changed.
  void compact(then<compaction_report> answer);
  result<compaction_report> compact();
  /// Stops what runs at once, whatever the database does; returns when the fact is committed.
  result<std::int64_t> abort(const std::string& by);
  /// The same, answered with the run that is to stop, `none` without one.
  void abort(const std::string& by, then<std::string> answer);
  /// The state once that run is over, whatever came after it.
  void when_over(const std::string& run, then<std::shared_ptr<const session::state>> answer);
  /// The state when the session is idle (or parked or closed), or with `attention` also when it waits
  /// for somebody; absent when the time is up.
  result<std::optional<std::shared_ptr<const session::state>>> wait(
      bool attention, std::chrono::milliseconds patience);
  void wait(bool attention, std::chrono::milliseconds patience,
      then<std::optional<std::shared_ptr<const session::state>>> answer);
  /// The state when the session is idle next, having seen all that this handle was told; as above.
  void when_idle(then<std::shared_ptr<const session::state>> answer);
  /// The state as it is now. Errors: `timeout` while the agent waits for the database.
  result<std::shared_ptr<const session::state>> look(
      std::chrono::milliseconds patience = std::chrono::minutes(1));
  void look(std::chrono::milliseconds patience, then<std::shared_ptr<const session::state>> answer);
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
  void open(options wanted, opening how, bool can_ask, then<session_handle> answer);
  /// The session if it is in this node's memory.
  std::optional<session_handle> here(const std::string& id) const;
  /// Deletes the session for good; whoever runs it here or elsewhere ends. Errors: `not_found`,
  /// `owned_elsewhere`.
  void erase(const std::string& id, then<bool> answer);
  /// Makes a session `id` that goes on from the log of `from` at its event `at`, with options that `changes`
  /// (a JSON object, or empty) names. What is open at the cut is closed in it; it is idle. Errors:
  /// `not_found`, `conflict` if the id exists, `invalid_input`.
  void fork(
      const std::string& from, std::int64_t at, const std::string& id, json::raw changes, then<bool> answer);
  /// The same; returns when it is there.
  result<void> fork(const std::string& from, std::int64_t at, const std::string& id, json::raw changes);
  /// The events after `after`, then what happens live, until it is dropped; without `follow` it ends at the
  /// head. The session needn't be here.
  std::unique_ptr<live_stream> follow(
      const persistence::session_key& session, std::int64_t after, bool follow = true) const;
  /// The events after `after` up to the head, with the pieces of answers, as they came at the time; `speed`
  /// times as fast, 0: at once. Until it is dropped.
  std::unique_ptr<live_stream> play(
      const persistence::session_key& session, std::int64_t after, double speed) const;
  /// Runs `work` on a thread that may wait, with a connection of its own that is only read from.
  void read(std::function<void(persistence::journal&)> work) const;
  /// The same for what may take long: pages of logs, and states in their middle.
  void read_history(std::function<void(persistence::journal&)> work) const;
  /// The same for what may take very long, and looks at `is_leaving` meanwhile.
  void examine(std::function<void(persistence::journal&)> work) const;
  /// From when the node began to end.
  bool is_leaving() const;

  std::int32_t tenant() const;
  const std::string& name() const;
  timestamp now() const;
  /// By the clock that never goes back.
  std::chrono::steady_clock::time_point steady_time() const;
  /// False while the lease couldn't be renewed in time: nothing is carried out.
  bool lease_holds() const;
  /// Asks the database something small; false if it doesn't answer, or not in time.
  void probe(std::chrono::milliseconds patience, std::function<void(bool)> answer) const;
  std::string new_id() const;
  const tools::tool_box& tools() const;
  /// To give tools to single sessions; what all have was said at the start.
  tools::tool_box& tools_to_give();
  const std::map<std::string, registered_provider>& providers() const;
  /// Options as a new session would begin with. Errors: `invalid_input`, `unsupported`.
  result<options> completed(options wanted) const;
  std::size_t sessions_in_memory() const;
  /// Waits until none of the sessions here is running, and readers have what happened; false when the time
  /// is up.
  bool settle(std::chrono::milliseconds patience);

 private:
  struct insides;
  explicit node(std::unique_ptr<insides> in);
  std::unique_ptr<insides> in_;
};

} // namespace troupe::actors
