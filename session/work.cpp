// Derived from the state alone, so that recovery needs nothing of its own.
#include "session/work.hpp"

#include "session/steps.hpp"

#include <algorithm>

namespace troupe::session {

namespace {

bool runs_here(const call_state& call) { return call.phase == call_phase::running && !call.client; }

} // namespace

std::vector<work_item> work(const state& now) {
  std::vector<work_item> out;
  if (now.aborting() || now.parked || now.closing)
    return out;
  if (now.compaction)
    out.push_back(run_compaction{now.compaction->compaction_id});
  if (!now.run)
    return out;
  if (now.inference && now.inference->open)
    out.push_back(run_inference{now.inference->data->inference_id});
  for (const auto& call : now.calls)
    if (runs_here(call))
      out.push_back(run_tool{call.execution_id, call.attempt});
  return out;
}

std::optional<command> next_step(const state& now, const std::map<std::string, tool_fact>& facts) {
  if (!now.exists() || now.closed || (now.parked && !now.closing))
    return std::nullopt;
  if (!now.run && now.closing)
    return close_session{};
  if (!now.run)
    return now.has_queued() && !now.held && !now.compaction ? std::optional<command>(take_up{})
                                                            : std::nullopt;
  if (now.aborting()) {
    const bool waits_for_effect = !now.parked
        && (now.compaction || (now.inference && now.inference->open)
            || std::any_of(now.calls.begin(), now.calls.end(), runs_here));
    return waits_for_effect ? std::nullopt : std::optional<command>(settle_abort{});
  }
  if (now.closing)
    return abort_run{"close"};
  if (!may_start(now, facts).empty())
    return begin_tools{};
  if (!now.inference && !now.compaction)
    return recover{"crash"}; // a run without an inference: unparked after its answers were cut off
  return std::nullopt;
}

} // namespace troupe::session
