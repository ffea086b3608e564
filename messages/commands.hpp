// The commands that an agent takes: orders from outside, and the answers of what it started.
#pragma once

#include "messages/event.hpp"

#include <map>

namespace troupe {

struct create_session {
  troupe::options options;
};

struct accept_message {
  std::string message_id;
  troupe::delivery delivery = delivery::send;
  troupe::content content;
  std::optional<std::string> role;
  std::optional<message_settings> settings;
  std::optional<json::raw> metadata;
  std::string by = "client";
};

/// Takes back what is still queued; absent: both queues.
struct withdraw {
  std::optional<delivery> queue;
  std::string by;
};

/// Goes on by itself with what is queued, if the session is idle and nothing holds it.
struct take_up {};
/// Goes on with what was cut off: what is owed first, then what is queued.
struct start {};
/// Takes what is queued, else runs an inference on the context as it is.
struct continue_run {};

/// Blocks that are finished while the answer goes on.
struct block_finished {
  std::string inference_id;
  std::vector<block> blocks; ///< in order, after those that are in the log
};

/// What validation found about one call: refused with a text, or good.
struct call_check {
  std::optional<std::string> refusal;
  error_kind kind = error_kind::invalid_input;
};

/// The end of an answer.
struct inference_answer {
  inference_finished finish;
  std::vector<block> blocks;      ///< those that aren't in the log yet
  std::vector<call_check> checks; ///< one for each tool call of the whole answer, in order
};

/// Starts the calls that may start now.
struct begin_tools {};

/// The end of one attempt at a call.
struct tool_answer {
  std::string execution_id;
  std::int64_t attempt = 1;
  tool_outcome outcome = tool_outcome::completed;
  troupe::content content;
  bool is_error = false;
  std::optional<troupe::error_kind> error_kind;
  std::optional<json::raw> details;
  bool terminate = false;
  std::optional<referenced_text> rest; ///< as `tool_receipt` has it
};

struct decide_permission {
  std::string decision_id;
  bool allow = false;
  std::string by;
  std::optional<std::string> reason;
  std::optional<json::raw> arguments; ///< changed by the person; valid by the schema
};

struct give_verdict {
  std::string execution_id;
  troupe::verdict verdict = verdict::rerun;
  std::string by;
  std::optional<troupe::content> result;
};

struct abort_run {
  std::string by;
};
/// Ends an aborted run: what still runs is recorded as aborted and never heard again.
/// With a run: only if it is still that one.
struct settle_abort {
  std::string run_id;
};

/// After a load: what the log says is running doesn't run here. `reason`: `crash` or `takeover`.
struct recover {
  std::string reason;
};

/// Changes options; `changes` is a JSON object of the options that a session may change (null takes one
/// back), checked before.
struct update_session {
  json::raw changes;
};

/// What a client's tool gave, for the attempt that is open.
struct client_result {
  std::string execution_id;
  troupe::content content;
  bool is_error = false;
  std::optional<json::raw> details;
  bool terminate = false;
  std::optional<referenced_text> rest; ///< as `tool_receipt` has it
};

/// Judges what is due by now: calls of clients whose time is up.
struct expire {};

/// Refuses new work, ends what runs, and then for good. Given by the machine too, to say that it is done.
struct close_session {
  std::optional<std::string> reason;
};

/// Empties the context; a run must have ended before. The handoff is the new context's first message.
struct reset_context {
  std::optional<large_text> handoff;
};

/// Makes the context smaller, if there is anything to leave out. Decided only while no run is open; within
/// one it is asked for by `inputs::compaction_wanted`.
struct compact {};

/// The end of a compaction: what stands for the messages that it covers, or why there is nothing.
struct compaction_answer {
  std::string compaction_id;
  std::vector<replacement_message> replacement; ///< empty with an error
  std::optional<failure> error;
  std::optional<troupe::usage> usage;
  std::optional<std::int64_t> tokens_before; ///< of the context, estimated; recorded, never computed again
  std::optional<std::int64_t> tokens_after;
};

/// Goes on from a cut in another session's log, as a session of its own: what is open there is closed here.
struct fork_session {
  fork_point from;
  troupe::options options; ///< whole, with the id of the new session
};

/// Writes down what the session is, so that the log can go on without what came before.
struct trim {
  std::string anchor; ///< the chain at the head, in hexadecimal
};

using command = std::variant<create_session, accept_message, withdraw, take_up, start, continue_run,
    block_finished, inference_answer, begin_tools, tool_answer, decide_permission, give_verdict, abort_run,
    settle_abort, recover, update_session, client_result, expire, close_session, reset_context, compact,
    compaction_answer, fork_session, trim>;

/// The number under which the command's appends are stored.
command_kind kind_of(const command& given);

} // namespace troupe
