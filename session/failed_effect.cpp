// The refusals that come before any effect ask nobody.
#include "session/failed_effect.hpp"

#include "messages/text.hpp"

namespace troupe::session {

bool asks_about_failure(const state& now, const tool_answer& answer, const look_ups& known) {
  if (now.options->on_failed_effect != "ask" || !known.can_ask || answer.outcome != tool_outcome::failed)
    return false;
  if (answer.error_kind == error_kind::invalid_input || answer.error_kind == error_kind::precondition)
    return false;
  const auto* const call = now.find_call(answer.execution_id);
  const auto fact = call ? known.tool_facts.find(call->name) : known.tool_facts.end();
  return call && (fact == known.tool_facts.end() || !fact->second.idempotent);
}

std::string failure_text(const content& said) {
  return std::string(utf8_prefix(plain_text(said), inline_bytes_max));
}

} // namespace troupe::session
