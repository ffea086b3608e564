// After a load: what the log says is running runs nowhere. Each thing is closed or begun again,
// and the session goes on from there like any other.
#include "session/decide.hpp"
#include "session/steps.hpp"

namespace troupe::session {

namespace {

// The blocks that were shown don't count; the same question is asked anew (D-06).
void ask_again(draft& d, const std::string& reason) {
  d.add(output_voided{d.now().inference->data->inference_id, reason});
  if (d.now().voided_in_a_row >= deaths_max)
    d.add(session_parked{"the answer was cut off " + std::to_string(deaths_max) + " times in a row"});
  else
    start_inference(d);
}

void judge_interrupted(draft& d, const call_state& call) {
  const auto fact = d.in().known.tool_facts.find(call.name);
  const bool durable = fact != d.in().known.tool_facts.end() && fact->second.durable;
  const auto policy =
      fact == d.in().known.tool_facts.end() ? interrupted_policy::error : fact->second.on_interrupted;
  // one that kills the process each time isn't run for ever
  if ((durable || policy == interrupted_policy::rerun) && call.attempt < deaths_max)
    return start_call(d, call.execution_id);
  if (policy == interrupted_policy::ask && d.in().known.can_ask) {
    d.add(tool_uncertain{call.execution_id, call.attempt, "interrupted"});
    return;
  }
  d.add(tool_receipt{call.execution_id, call.attempt, tool_outcome::unknown,
      content("The tool call was interrupted by a restart and was not retried."), true, std::nullopt,
      std::nullopt, std::nullopt, std::nullopt});
}

void go_on(draft& d, const std::string& reason) {
  if (d.now().inference && d.now().inference->open)
    return ask_again(d, reason);
  const auto calls = d.now().calls;
  bool judged = false;
  for (const auto& call : calls)
    if (call.phase == call_phase::running && !call.client) {
      judge_interrupted(d, call);
      judged = true;
    }
  if (judged)
    settle_batch(d);
  else if (!d.now().inference)
    start_inference(d); // unparked after its answers were cut off
}

} // namespace

void recover_open_work(draft& d, const std::string& reason) {
  const auto compaction = d.now().compaction;
  const failure interrupted{
      "interrupted", std::nullopt, false, "The compaction was interrupted by a restart."};
  if (compaction)
    give_up_compaction(d, interrupted);
  if (d.now().aborting())
    close_aborted_run(d, {});
  else if (compaction && d.now().run)
    go_on_after(d, *compaction, interrupted);
  else if (d.now().run)
    go_on(d, reason);
}

decision decide(const state& now, const recover& command, const inputs& in) {
  draft d(now, in);
  if (!now.closed && !now.parked)
    recover_open_work(d, command.reason);
  return d.take();
}

} // namespace troupe::session
