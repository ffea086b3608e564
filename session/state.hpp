// The folded state of a session: all that a decision looks at. Cheap to copy.
#pragma once

#include "session/context.hpp"

#include <map>
#include <vector>

namespace troupe::session {

/// The version of `decide` and `project` that new runs hold to.
inline constexpr std::int64_t machine_version = 1;
/// Voided inferences in a row after which the session is parked.
inline constexpr std::int64_t deaths_max = 5;
/// Messages that may wait in one queue.
inline constexpr std::size_t queued_max = 1000;
/// Compactions that failed one after the other, after which none begins by itself.
inline constexpr std::int64_t compaction_failures_max = 3;
/// Bytes of one message: a request of 32 MiB must still hold it.
inline constexpr std::size_t message_bytes_max = 16 * 1024 * 1024;

struct waiting_message {
  std::shared_ptr<const message_queued> data;
  std::int64_t seq = 0;
  std::shared_ptr<const content> replaced; ///< by a hook
  bool vetoed = false;
};

/// One queue, in the order in which they were accepted. Most are empty most of the time, and copied with
/// every decision: an empty one must cost nothing.
using waiting_messages = std::vector<waiting_message>;

/// Where a call of the open batch stands:
///   requested ──▶ asking ──▶ ready ──▶ running ──▶ settled ──▶ (shown: its result is in the context)
///       └────────────▲─────────────────┘  └▶ uncertain ┘
enum class call_phase : std::uint8_t { requested, asking, ready, running, uncertain, settled, shown };

/// How a call ended, as the context will show it.
struct settlement {
  troupe::content content;
  bool is_error = false;
  std::optional<troupe::error_kind> error_kind;
  bool terminate = false;
  bool from_receipt = false; ///< so that the result needn't say it again
};

struct call_state {
  std::string execution_id;
  call_ref call;
  std::string call_id;
  std::string name;
  call_phase phase = call_phase::requested;
  std::optional<json::raw> arguments;         ///< the model's own
  std::optional<json::raw> changed_arguments; ///< by a person or a hook
  std::int64_t attempt = 0;
  bool client = false;
  std::optional<timestamp> deadline;
  std::string decision_id;            ///< of the newest ask
  std::optional<std::string> failure; ///< uncertain because it failed: what it said
  std::optional<verdict> resolved;
  std::shared_ptr<const settlement> settled;
  /// What it is run with.
  const json::raw& effective_arguments() const;
};

struct inference_record {
  std::shared_ptr<const inference_started> data;
  std::int64_t seq = 0;
  bool open = true;                            ///< neither finished nor voided
  std::optional<failure> error = std::nullopt; ///< that it ended in
  std::int64_t blocks = 0;
  std::vector<std::pair<std::int64_t, std::shared_ptr<const tool_call_block>>> calls; ///< by block index
};

/// How many tokens the context had when a provider last counted them.
struct measured_context {
  std::int64_t tokens = 0; ///< of the request and its answer, all that was sent included
  std::int64_t seq = 0;    ///< what joined later isn't in it
};

struct run_record {
  std::string id;
  std::int64_t machine = machine_version;
  std::int64_t turn = 0;
  bool turn_open = false;
  std::int64_t inferences = 0; ///< that count toward `max_turns`
  std::int64_t messages = 0;   ///< that it brought into the context; counted under an `output_limit`
  std::int64_t source_bytes = 0;
  std::optional<std::string> aborted_by;
};

struct effective_settings {
  std::string provider;
  std::string model;
  std::optional<std::string> effort;
  std::optional<std::string> service_tier;
  bool operator==(const effective_settings&) const = default;
};

/// What the newest record of the conversation owes an answer to, if anything.
enum class owed_kind : std::uint8_t { nothing, inference };

struct state {
  std::int64_t head = 0;
  timestamp at;
  std::shared_ptr<const troupe::options> options;
  std::shared_ptr<const troupe::options> made_with; ///< as it was created; null: it is a fork
  std::shared_ptr<const fork_point> forked_from;    ///< null: no fork
  effective_settings settings;
  bool parked = false;
  bool closing = false;
  bool closed = false;
  waiting_messages steer;
  waiting_messages sends;
  bool held = false;  ///< what is queued waits for `start`, `continue` or a new message
  bool fresh = false; ///< a message came after the abort was asked for
  owed_kind owed = owed_kind::nothing;
  std::optional<run_record> run;
  std::optional<inference_record> inference;            ///< the newest, until its batch is answered
  std::vector<call_state> calls;                        ///< the newest batch
  std::shared_ptr<const compaction_started> compaction; ///< the one that is open
  std::int64_t compaction_failures = 0;                 ///< in a row
  bool overflowed = false; ///< the context was too long for the newest question, and was made smaller for it
  std::uint64_t fixed_bytes = 0; ///< of the instructions and tools that the newest inference was given
  std::optional<measured_context> measured; ///< absent: not since the context was last made smaller
  std::int64_t voided_in_a_row = 0;
  session::context context;
  std::int64_t context_from = 1;    ///< no event before this one is in the context or waits for it
  std::int64_t trimmed_through = 0; ///< retention may have removed the events up to here; 0: none
  troupe::usage usage;              ///< of all inferences; `prices` unused
  std::optional<failure> last_error;
  std::map<std::pair<std::int64_t, std::string>, std::string> values; ///< (scope, key) → JSON

  bool exists() const { return options != nullptr; }
  bool aborting() const { return run && run->aborted_by; }
  bool has_queued() const { return !steer.empty() || !sends.empty(); }
  const call_state* find_call(const std::string& execution_id) const;
};

/// What is known is added up; what isn't stays unknown.
void add(usage& total, const usage& more);

/// As the API says it: `idle`, `running`, `waiting`, `failed` or `closed`.
std::string_view status(const state& now);
/// True if a node should load the session and go on.
bool needs_work(const state& now);
/// When the session should be woken though nothing runs.
std::optional<timestamp> wake_at(const state& now);

} // namespace troupe::session
