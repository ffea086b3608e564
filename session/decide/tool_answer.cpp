// The calls of a batch begin, and each attempt comes back with its receipt.
#include "session/decide.hpp"
#include "session/failed_effect.hpp"
#include "session/steps.hpp"

#include <algorithm>

namespace troupe::session {

decision decide(const state& now, const begin_tools&, const inputs& in) {
  draft d(now, in);
  for (const auto& execution_id : may_start(now, in.known.tool_facts))
    start_call(d, execution_id);
  return d.take();
}

// An answer counts for the attempt that runs; what comes later changes nothing.
decision decide(const state& now, const tool_answer& command, const inputs& in) {
  draft d(now, in);
  const auto* const call = now.find_call(command.execution_id);
  if (!call || call->phase != call_phase::running || call->attempt != command.attempt)
    return d.take();
  if (!now.aborting() && asks_about_failure(now, command, in.known)) {
    d.add(tool_uncertain{command.execution_id, command.attempt, "failed", failure_text(command.content)});
    return d.take();
  }
  d.add(tool_receipt{command.execution_id, command.attempt, command.outcome, command.content,
      command.is_error, command.is_error ? command.error_kind : std::nullopt, command.details,
      command.terminate ? std::optional(true) : std::nullopt, command.rest});
  if (!now.aborting()) {
    settle_batch(d);
  } else {
    const auto& calls = d.now().calls;
    const bool runs = std::any_of(calls.begin(), calls.end(),
        [](const call_state& c) { return c.phase == call_phase::running && !c.client; });
    if (!runs)
      close_aborted_run(d, {});
  }
  return d.take();
}

} // namespace troupe::session
