// The event: one committed fact of a session, and the list of all its types.
#pragma once

#include "messages/events/compaction_events.hpp"
#include "messages/events/feature_events.hpp"
#include "messages/events/inference_events.hpp"
#include "messages/events/permission_events.hpp"
#include "messages/events/queue_events.hpp"
#include "messages/events/run_events.hpp"
#include "messages/events/session_events.hpp"
#include "messages/events/tool_events.hpp"
#include "messages/ids.hpp"

namespace troupe {

/// Every type of event. The order is the order of `event_type_names` and is only ever added to.
using event_data = std::variant<session_created, session_forked, session_updated, session_parked,
    session_unparked, session_closing, session_closed, message_queued, message_withdrawn, input_replaced,
    messages_consumed, settings_changed, context_reset, context_cleared, context_trimmed, run_started,
    turn_started, inference_started, assistant_block, inference_finished, output_voided, tools_requested,
    tool_decided, permission_requested, permission_decided, permission_expired, tool_started, tool_receipt,
    tool_result, tool_uncertain, tool_resolved, abort_requested, compaction_started, compaction_finished,
    compaction_failed, notice_added, turn_finished, run_finished, child_spawned, child_settled,
    report_delivered, value_written, value_deleted, timer_set, timer_fired, timer_cancelled>;

inline constexpr std::size_t event_type_count = std::variant_size_v<event_data>;

/// The names of the types as they stand in the log, by index in `event_data`.
extern const std::array<std::string_view, event_type_count> event_type_names;

/// The name of the type of `data`, as `run.started`.
std::string_view type_name(const event_data& data);

/// A fact with its place in the log. `seq` is 0 until the journal has given it.
struct event {
  std::int64_t seq = 0;
  timestamp at;
  std::optional<std::string> run_id;
  event_data data;
  bool operator==(const event&) const = default;
};

/// Which kind of command an append came from. The numbers are stored and only ever added to.
enum class command_kind : std::int16_t {
  create_session = 1,
  accept_message = 2,
  take_up = 3,
  block_finished = 4,
  inference_answer = 5,
  begin_tools = 6,
  tool_answer = 7,
  decide_permission = 8,
  give_verdict = 9,
  abort = 10,
  settle_abort = 11,
  recover = 12,
  withdraw = 13,
  start = 14,
  continue_run = 15,
  update_session = 16,
  close_session = 17,
  reset_context = 18,
  compact = 19,
  compaction_answer = 20,
  fork = 21,
  expire = 22,
  park = 23,
  unpark = 24,
  client_result = 25,
  hook_answer = 26,
  write_value = 27,
  set_timer = 28,
  fire_timer = 29,
  spawn_child = 30,
  child_report = 31,
  import_log = 32,
  trim = 33,
};

/// An event as it is stored: the payload is the bytes that were written and stays so.
struct recorded_event {
  std::int64_t seq = 0;
  std::int64_t append_seq = 0; ///< the `seq` of the first event of its append
  command_kind command = command_kind::create_session;
  std::string type;
  std::int16_t version = 1; ///< of the type's data
  timestamp at;
  std::optional<std::string> run_id;
  std::string payload; ///< JSON text
  bool operator==(const recorded_event&) const = default;
};

} // namespace troupe
