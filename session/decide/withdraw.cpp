// What is still queued is taken back.
#include "session/decide.hpp"
#include "session/draft.hpp"

namespace troupe::session {

decision decide(const state& now, const withdraw& command, const inputs& in) {
  message_withdrawn withdrawn{{}, command.by};
  auto gather = [&](const waiting_messages& queue) {
    for (const auto& message : queue)
      withdrawn.message_ids.push_back(message.data->message_id);
  };
  if (command.queue != delivery::send)
    gather(now.steer);
  if (command.queue != delivery::steer)
    gather(now.sends);
  draft d(now, in);
  if (!withdrawn.message_ids.empty())
    d.add(std::move(withdrawn));
  return d.take();
}

} // namespace troupe::session
