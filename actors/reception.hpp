// What the outside may ask of a node, by a session's id: whether the session is in the memory, on disk
// or about to leave is nobody's business there.
//
// Every answer comes in a callback on a thread of the node, which must be quick and not wait.
#pragma once

#include "actors/history/verification.hpp"
#include "actors/node.hpp"

namespace troupe::actors {

/// A session as it is told of. `state` is the whole state where the session is in the memory; else only
/// what its options' events say, and the rest stands in the row.
struct session_report {
  persistence::session_row row;
  std::shared_ptr<const session::state> state;
  std::string run_id; ///< of the open run, empty without one
};

struct created_session {
  session_report session;
  bool is_new = false;
};

struct events_page {
  std::vector<recorded_event> events; ///< as readers get them
  std::int64_t next_after = 0;
};

/// The state after an event, and the number of that event.
struct state_as_of {
  std::int64_t seq = 0;
  std::shared_ptr<const session::state> state;
};

class reception {
 public:
  explicit reception(node& of) : node_(of) {}

  // -- sessions --

  /// Errors: `conflict` if the id exists with other options.
  void create(options wanted, then<created_session> answer);
  void find(const std::string& id, then<session_report> answer);
  void list(const std::string& status, std::size_t limit, const std::optional<persistence::page_mark>& page,
      then<std::vector<session_report>> answer);
  /// The rows of sessions in which something waits for somebody; what it is stands in their views.
  void waiting(std::size_t limit, const std::optional<persistence::page_mark>& page,
      then<std::vector<persistence::session_row>> answer);
  void update(const std::string& id, json::raw changes, then<session_report> answer);
  /// A session that goes on from the log of `from` at its event `at`; an empty `id` is made up.
  void fork(const std::string& from, std::int64_t at, std::string id, json::raw changes,
      then<session_report> answer);
  void erase(const std::string& id, then<bool> answer) { node_.erase(id, std::move(answer)); }

  // -- work --

  /// An empty message id is made up here, so that a second try is the same message.
  void post(const std::string& id, accept_message message, then<acceptance> answer);
  /// Answers with the state after it.
  void order(const std::string& id, command what, then<std::shared_ptr<const session::state>> answer);
  /// As it stands now.
  void look(const std::string& id, then<std::shared_ptr<const session::state>> answer);
  /// Answers when the run has stopped.
  void abort(
      const std::string& id, const std::string& by, then<std::shared_ptr<const session::state>> answer);
  /// Answers when the session is closed, whoever closed it; what runs is aborted first.
  void close(const std::string& id, then<std::shared_ptr<const session::state>> answer);
  /// Empties the context, after what runs was aborted; answers with the event's number.
  void reset(const std::string& id, then<std::int64_t> answer);
  /// Makes the context smaller; answered when that is done, or has failed.
  void compact(const std::string& id, then<compaction_report> answer);
  /// Takes back what waits; answers with the ids.
  void withdraw_queued(
      const std::string& id, std::optional<delivery> queue, then<std::vector<std::string>> answer);
  /// The session when it is so; absent when the time is up.
  void wait(const std::string& id, bool attention, std::chrono::milliseconds patience,
      then<std::optional<session_report>> answer);
  /// An answer that somebody gave: the same again succeeds, however long ago it was.
  void answer_call(const std::string& id, command what, then<std::shared_ptr<const session::state>> answer);

  // -- reading --

  void events(const std::string& id, std::int64_t after, std::size_t limit,
      const std::vector<std::string>& types, then<events_page> answer);
  /// Absent: as it is now.
  void state_at(const std::string& id, std::optional<std::int64_t> at, then<state_as_of> answer);
  /// The context's messages with their stored content.
  void context_at(const std::string& id, std::optional<std::int64_t> at,
      then<std::pair<std::int64_t, std::vector<message>>> answer);
  /// Every decision of the log made again, on the thread for what may take long.
  void verify(const std::string& id, then<verification> answer);
  void blob(const std::string& id, const std::string& name, then<std::string> answer);
  /// The row alone. Errors: `not_found`.
  void row(const std::string& id, then<persistence::session_row> answer);

  node& of() const { return node_; }

 private:
  template <class T>
  void on_session(const std::string& id, std::function<void(session_handle, then<T>)> work, then<T> answer,
      int tries = 64);
  /// Answers with the head, once it is done.
  void carry_out(const std::string& id, command what, then<std::int64_t> answer);
  void compare_with_made(options wanted, then<created_session> answer, int tries);
  session_report report_of(const session_handle& session, std::shared_ptr<const session::state> state) const;

  node& node_;
};

} // namespace troupe::actors
