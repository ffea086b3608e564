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

void add_known(std::optional<std::int64_t>& total, const std::optional<std::int64_t>& more) {
  if (more)
    total = total.value_or(0) + *more;
}

} // namespace

void add(usage& total, const usage& more) {
  add_known(total.input_tokens, more.input_tokens);
  add_known(total.output_tokens, more.output_tokens);
  add_known(total.cache_read_tokens, more.cache_read_tokens);
  add_known(total.cache_write_tokens, more.cache_write_tokens);
  add_known(total.reasoning_tokens, more.reasoning_tokens);
  if (more.cost_usd)
    total.cost_usd = total.cost_usd.value_or(0) + *more.cost_usd;
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

// A run that is open, but in which nothing happens until somebody answers. A call that could begin stays
// where it is behind one that waits: were it not held up by that, it would have begun.
bool waits(const state& now) {
  if (!now.run || now.aborting() || now.closing || (now.inference && now.inference->open))
    return false;
  bool held_up = false;
  for (const auto& call : now.calls) {
    held_up = held_up || waits_for_somebody(call);
    if (goes_on_by_itself(call) && !(held_up && call.phase == call_phase::ready))
      return false;
  }
  return held_up;
}

// Whether such a call may begin depends on the tools too: a node has to look.
bool may_begin_more(const state& now) {
  return std::any_of(now.calls.begin(), now.calls.end(), goes_on_by_itself);
}

} // namespace

std::string_view status(const state& now) {
  if (now.closed)
    return "closed";
  if (now.closing)
    return "running";
  if (now.parked)
    return "failed";
  if (waits(now))
    return "waiting";
  return now.run || now.compaction ? "running" : "idle";
}

bool needs_work(const state& now) {
  if (now.closed || !now.exists())
    return false;
  if (now.closing)
    return true;
  if (now.parked)
    return false;
  if (now.run || now.compaction)
    return !waits(now) || may_begin_more(now);
  return now.has_queued() && !now.held;
}

std::optional<timestamp> wake_at(const state& now) {
  std::optional<timestamp> earliest;
  if (now.parked || now.closed || now.closing || now.aborting())
    return earliest; // nothing is judged by its time then
  for (const auto& call : now.calls)
    if (call.phase == call_phase::running && call.deadline && (!earliest || *call.deadline < *earliest))
      earliest = call.deadline;
  return earliest;
}

} // namespace troupe::session
