// What is said to a session: to its agent and its two queues.
#pragma once

#include "messages/commands.hpp"
#include "session/state.hpp"

#include <chrono>

namespace troupe::actors {

/// A command. Answered with `order_answer` when its events are committed.
struct order {
  std::shared_ptr<const command> what;
  bool holds_effects = false; ///< they are held back until it is answered
};
struct order_answer {
  std::optional<problem> refused;
  std::int64_t head = 0;
  std::shared_ptr<const std::vector<event>> happened; ///< null: it changed nothing
  std::string open_run;                               ///< the run that is open after it, empty without one
};
/// A message that was committed by a queue.
struct message_arrived {
  std::shared_ptr<const event> what;
};
/// Answered with `session_look` when the session is so, having seen `after_seq`.
struct wait_until {
  bool attention = false; ///< also when something waits for a person or a client
  std::int64_t after_seq = 0;
  std::string ended_run; ///< with one: only that it is over, whatever comes next
  /// Nobody waits for the answer any more from then on.
  std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max();
};
/// Answered with `session_look` at once.
struct look {};
struct session_look {
  std::shared_ptr<const session::state> state;
};
/// The agent's life begins.
struct session_begins {};
/// What still runs is stopped, nothing is decided any more.
struct let_go {};
/// To itself: a look at whether it has rested for long enough; then it ends.
struct passivate_idle {};
/// The time has come that the session's state names.
struct deadline_reached {};
struct tool_overdue {
  std::string execution_id;
  std::int64_t attempt = 1;
};

// -- to a queue ------------------------------------------------------------------------------------

struct post {
  std::shared_ptr<const accept_message> what;
};
struct posted {
  std::optional<problem> refused;
  std::string message_id;
  std::int64_t seq = 0;
  bool duplicate = false;
};

} // namespace troupe::actors
