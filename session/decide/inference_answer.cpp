// What the model answers: its blocks as they are finished, and the end of it.
#include "session/decide.hpp"
#include "session/steps.hpp"

namespace troupe::session {

namespace {

bool is_open(const state& now, const std::string& inference_id) {
  return now.inference && now.inference->open && now.inference->data->inference_id == inference_id;
}

// A context that is too long is made smaller once for each question, while nothing of an answer has come.
bool ask_again_with_less(draft& d) {
  if (d.now().overflowed || at_limit(d.now()) || d.now().compaction_failures >= compaction_failures_max)
    return false;
  const auto made = make_room(d, "overflow");
  if (made == room::made)
    start_inference(d);
  return made != room::nothing_to_leave_out;
}

void add_blocks(draft& d, const std::string& inference_id, const std::vector<block>& blocks) {
  for (const auto& block : blocks)
    d.add(assistant_block{inference_id, d.now().inference->blocks, block});
}

} // namespace

decision decide(const state& now, const block_finished& command, const inputs& in) {
  draft d(now, in);
  if (is_open(now, command.inference_id))
    add_blocks(d, command.inference_id, command.blocks);
  return d.take();
}

decision decide(const state& now, const inference_answer& command, const inputs& in) {
  draft d(now, in);
  if (!is_open(now, command.finish.inference_id))
    return d.take();
  add_blocks(d, command.finish.inference_id, command.blocks);
  if (now.aborting()) {
    close_aborted_run(d, command.finish.usage);
    return d.take();
  }
  inference_finished finish = command.finish;
  const auto failed = judge(finish, d.now().inference->calls.size());
  if (failed) {
    finish.state = inference_state::error;
    finish.error = failed;
  }
  const bool for_tools = finish.stop == "tool_use" || finish.stop == "function_call";
  const bool cut = finish.stop == "max_tokens";
  d.add(std::move(finish));
  if (failed) {
    const bool too_long = failed->code == "context_overflow" && d.now().inference->blocks == 0;
    if (!too_long || !ask_again_with_less(d))
      fail_turn(d, *failed);
  } else if (for_tools) {
    request_tools(d, command.checks);
  } else if (cut) {
    close_calls(d, "The response ended before this tool call was dispatched.");
    proceed(d, {run_outcome_kind::max_tokens, std::nullopt, std::nullopt, std::nullopt, std::nullopt});
  } else {
    proceed(d, {});
  }
  return d.take();
}

} // namespace troupe::session
