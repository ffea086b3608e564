// A fork begins (D-35): whatever is open at the cut is closed, in the append that says so, and it is idle.
#include "session/decide.hpp"
#include "session/steps.hpp"

namespace troupe::session {

namespace {

constexpr const char* not_carried_over = "The tool call was not carried over into the fork.";

// A fork writes no receipts: what a call came to there is shown, what it didn't come to is said.
void close_batch(draft& d) {
  const auto calls = d.now().calls;
  std::vector<std::string> asked;
  for (const auto& call : calls) {
    if (call.phase == call_phase::asking)
      asked.push_back(call.decision_id);
    if (call.phase == call_phase::shown)
      continue;
    tool_result result{call.call.inference_id, call.call.index, call.call_id, call.execution_id, std::nullopt,
        std::nullopt, std::nullopt};
    if (!call.settled) {
      result.content = content(not_carried_over);
      result.is_error = true;
    } else {
      result.error_kind = call.settled->error_kind;
      if (!call.settled->from_receipt) {
        result.content = call.settled->content;
        result.is_error = call.settled->is_error;
      }
    }
    d.add(std::move(result));
  }
  close_calls(d, not_carried_over); // of an answer that was cut off before it asked for them
  for (auto& decision : asked)
    d.add(permission_expired{std::move(decision), "fork"});
}

void withdraw_queued(draft& d) {
  message_withdrawn withdrawn{{}, "fork"};
  for (const auto* const queue : {&d.now().steer, &d.now().sends})
    for (const auto& message : *queue)
      withdrawn.message_ids.push_back(message.data->message_id);
  if (!withdrawn.message_ids.empty())
    d.add(std::move(withdrawn));
}

} // namespace

decision decide(const state& now, const fork_session& command, const inputs& in) {
  if (!is_id(command.options.id))
    return problem{problem_code::invalid_input,
        "`" + command.options.id.substr(0, 140)
            + "` is no session id: 1 to 128 of A-Z a-z 0-9 . _ - beginning with a letter or digit",
        {}};
  if (command.from.seq != now.head)
    return problem{problem_code::invalid_input,
        "the cut is said to be at event " + std::to_string(command.from.seq) + ", the log ends at "
            + std::to_string(now.head),
        {}};
  draft d(now, in);
  d.add(session_forked{command.from, command.options, machine_version});
  if (d.now().inference && d.now().inference->open)
    d.add(output_voided{d.now().inference->data->inference_id, "fork"});
  close_batch(d);
  if (d.now().compaction)
    give_up_compaction(
        d, {"cancelled", std::nullopt, false, "The compaction was not carried over into the fork."});
  withdraw_queued(d);
  if (d.now().run && d.now().run->turn_open)
    d.add(turn_finished{d.now().run->turn, turn_outcome::aborted});
  if (d.now().run)
    d.add(run_finished{{run_outcome_kind::stopped, std::nullopt, std::nullopt, std::nullopt, "fork"}});
  return d.take();
}

} // namespace troupe::session
