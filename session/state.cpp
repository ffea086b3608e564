// What can be read off a state without deciding anything.
#include "session/state.hpp"

#include <algorithm>

namespace troupe::session {

const json::raw& call_state::effective_arguments() const {
  static const json::raw none{"{}"};
  if (changed_arguments)
    return *changed_arguments;
  return arguments ? *arguments : none;
}

const call_state* state::find_call(const std::string& execution_id) const {
  const auto found = std::find_if(
      calls.begin(), calls.end(), [&](const call_state& c) { return c.execution_id == execution_id; });
  return found == calls.end() ? nullptr : &*found;
}

namespace {

bool waits_for_somebody(const call_state& call) {
  return call.phase == call_phase::asking || call.phase == call_phase::uncertain
      || (call.phase == call_phase::running && call.client);
}

bool goes_on_by_itself(const call_state& call) {
  return call.phase == call_phase::requested || call.phase == call_phase::ready
      || (call.phase == call_phase::running && !call.client);
}

// A run that is open, but in which nothing happens until somebody answers.
bool waits(const state& now) {
  return now.run && !now.aborting() && !(now.inference && now.inference->open)
      && std::any_of(now.calls.begin(), now.calls.end(), waits_for_somebody)
      && std::none_of(now.calls.begin(), now.calls.end(), goes_on_by_itself);
}

} // namespace

std::string_view status(const state& now) {
  if (now.closed)
    return "closed";
  if (now.parked)
    return "failed";
  if (waits(now))
    return "waiting";
  return now.run || now.compaction ? "running" : "idle";
}

bool needs_work(const state& now) {
  if (now.closed || now.parked || !now.exists())
    return false;
  if (now.run || now.compaction)
    return !waits(now);
  return now.has_queued() && !now.held;
}

std::optional<timestamp> wake_at(const state& now) {
  std::optional<timestamp> earliest;
  if (now.parked || now.closed || now.aborting())
    return earliest; // nothing is judged by its time then
  for (const auto& call : now.calls)
    if (call.phase == call_phase::running && call.deadline && (!earliest || *call.deadline < *earliest))
      earliest = call.deadline;
  return earliest;
}

} // namespace troupe::session
