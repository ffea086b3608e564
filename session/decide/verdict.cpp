// A person says what becomes of an uncertain call: run it again, or leave it.
#include "session/decide.hpp"
#include "session/steps.hpp"

namespace troupe::session {

decision decide(const state& now, const give_verdict& command, const inputs& in) {
  const auto* const call = now.find_call(command.execution_id);
  if (!call)
    return problem{
        problem_code::not_found, "no execution `" + command.execution_id + "` is open in this session", {}};
  if (call->phase != call_phase::uncertain) {
    const bool same_result = command.verdict == verdict::rerun
        || (call->settled
            && call->settled->content
                == command.result.value_or(content("The tool call was abandoned by a person.")));
    if (call->resolved == command.verdict && same_result)
      return std::vector<event>{};
    return problem{
        problem_code::conflict, "the execution `" + command.execution_id + "` is not uncertain", {}};
  }
  if (now.aborting())
    return problem{
        problem_code::conflict, "the run is being aborted: its uncertain calls are closed with it", {}};
  draft d(now, in);
  d.add(tool_resolved{command.execution_id, command.verdict, command.by,
      command.verdict == verdict::abandon ? command.result : std::nullopt});
  if (command.verdict == verdict::rerun)
    start_call(d, command.execution_id);
  else
    settle_batch(d);
  return d.take();
}

} // namespace troupe::session
