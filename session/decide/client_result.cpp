// A client's tool comes back, or its time is up (D-13a).
#include "session/decide.hpp"
#include "session/failed_effect.hpp"
#include "session/steps.hpp"

namespace troupe::session {

namespace {

// A client that isn't heard of gets one more attempt where that was asked for, no third.
constexpr std::int64_t client_attempts_max = 2;

bool is_due(const call_state& call, timestamp now) {
  return call.client && call.phase == call_phase::running && call.deadline && *call.deadline <= now;
}

void judge_overdue(draft& d, const call_state& call) {
  const auto found = d.in().known.tool_facts.find(call.name);
  const tool_fact fact = found == d.in().known.tool_facts.end() ? tool_fact() : found->second;
  if ((fact.durable || fact.on_interrupted == interrupted_policy::rerun)
      && call.attempt < client_attempts_max)
    return start_call(d, call.execution_id);
  if (!fact.durable && fact.on_interrupted == interrupted_policy::ask && d.in().known.can_ask)
    return d.add(tool_uncertain{call.execution_id, call.attempt, "interrupted"});
  d.add(tool_receipt{call.execution_id, call.attempt, tool_outcome::failed,
      content("The tool call was not answered in time."), true, error_kind::timeout, std::nullopt,
      std::nullopt, std::nullopt});
}

problem conflict(const std::string& execution_id, const std::string& why) {
  return {problem_code::conflict, "the execution `" + execution_id + "` " + why, {}};
}

} // namespace

decision decide(const state& now, const client_result& command, const inputs& in) {
  const auto* const call = now.find_call(command.execution_id);
  if (!call || !call->client)
    return problem{problem_code::not_found,
        "no call `" + command.execution_id + "` of a client's tool is open in this session", {}};
  if (call->settled) {
    if (call->settled->content == command.content && call->settled->is_error == command.is_error
        && call->settled->terminate == command.terminate)
      return std::vector<event>{};
    return conflict(command.execution_id, "has another result already");
  }
  if (call->phase == call_phase::uncertain && command.is_error
      && call->failure == failure_text(command.content))
    return std::vector<event>{}; // the same once more
  if (call->phase != call_phase::running)
    return conflict(command.execution_id,
        call->phase == call_phase::uncertain ? "is uncertain: a person gives its verdict"
                                             : "isn't under way just now");
  if (now.aborting())
    return conflict(command.execution_id, "is being aborted");
  return decide(now,
      tool_answer{command.execution_id, call->attempt,
          command.is_error ? tool_outcome::failed : tool_outcome::completed, command.content,
          command.is_error, std::nullopt, command.details, command.terminate, command.rest},
      in);
}

decision decide(const state& now, const expire&, const inputs& in) {
  draft d(now, in);
  if (!now.run || now.aborting() || now.parked)
    return d.take();
  bool judged = false;
  const auto calls = now.calls;
  for (const auto& call : calls)
    if (is_due(call, in.now)) {
      judge_overdue(d, call);
      judged = true;
    }
  if (judged)
    settle_batch(d);
  return d.take();
}

} // namespace troupe::session
