// Walks the context once, with the calls of the newest answer that wait for their results.
#include "session/pairing.hpp"

#include <deque>
#include <set>

namespace troupe::session {

std::optional<std::string> pairing_breach(const message_list& context) {
  std::deque<std::string> waiting;
  std::set<std::string> used;
  for (const auto& message : context) {
    if (message.role == "tool") {
      if (waiting.empty() || !message.call_id || waiting.front() != *message.call_id)
        return "the result of `" + message.call_id.value_or("") + "` doesn't follow its call in order";
      waiting.pop_front();
      continue;
    }
    if (!waiting.empty())
      return "the call `" + waiting.front() + "` has no result before the next message";
    for (const auto& block : message.blocks)
      if (const auto* const call = std::get_if<tool_call_block>(&block)) {
        if (!used.insert(call->call_id).second)
          return "the call id `" + call->call_id + "` is used twice";
        waiting.push_back(call->call_id);
      }
  }
  if (!waiting.empty())
    return "the call `" + waiting.front() + "` has no result";
  return std::nullopt;
}

} // namespace troupe::session
