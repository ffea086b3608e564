// A person answers an ask. An answer is taken once; the same again succeeds, another is refused.
#include "session/decide.hpp"
#include "session/steps.hpp"

#include <algorithm>

namespace troupe::session {

namespace {

bool is_the_same(const call_state& answered, const decide_permission& command) {
  const bool was_allowed = answered.attempt > 0 || answered.phase == call_phase::ready;
  if (was_allowed != command.allow)
    return false;
  if (was_allowed)
    return answered.changed_arguments == command.arguments;
  return answered.settled && answered.settled->content == content(denial(command.reason));
}

} // namespace

decision decide(const state& now, const decide_permission& command, const inputs& in) {
  const auto asked = std::find_if(now.calls.begin(), now.calls.end(),
      [&](const call_state& c) { return c.decision_id == command.decision_id; });
  if (asked == now.calls.end())
    return problem{
        problem_code::not_found, "no decision `" + command.decision_id + "` waits in this session", {}};
  if (asked->phase != call_phase::asking) {
    if (is_the_same(*asked, command))
      return std::vector<event>{};
    return problem{
        problem_code::conflict, "the decision `" + command.decision_id + "` was answered otherwise", {}};
  }
  draft d(now, in);
  d.add(permission_decided{command.decision_id, asked->execution_id, command.allow ? "allow" : "deny",
      command.by, command.reason, command.allow ? command.arguments : std::nullopt});
  if (command.allow) {
    const auto ready = may_start(d.now(), in.known.tool_facts);
    if (std::find(ready.begin(), ready.end(), asked->execution_id) != ready.end())
      start_call(d, asked->execution_id);
    return d.take();
  }
  refuse_call(d, *asked, denial(command.reason), error_kind::precondition);
  settle_batch(d);
  return d.take();
}

} // namespace troupe::session
