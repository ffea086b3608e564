// A message is accepted into its queue; that its id is new is the journal's to say.
#include "session/decide.hpp"
#include "session/draft.hpp"

namespace troupe::session {

std::optional<problem> refusal(
    const queue_view& queue, const accept_message& command, const look_ups& known) {
  if (queue.closed)
    return problem{
        problem_code::closed, "the session `" + queue.session + "` is closed and takes no more messages", {}};
  if (!is_id(command.message_id))
    return problem{problem_code::invalid_input,
        "`" + command.message_id.substr(0, 140)
            + "` is no message id: 1 to 128 of A-Z a-z 0-9 . _ - beginning with a letter or digit",
        {}};
  if (command.role && *command.role != "user" && *command.role != "system"
      && !command.role->starts_with("custom:"))
    return problem{problem_code::invalid_input,
        "`" + command.role->substr(0, 140) + "` is no role of a message: user, system or custom:KIND", {}};
  if (queue.waiting >= queued_max)
    return problem{problem_code::too_large,
        "the queue holds " + std::to_string(queued_max)
            + " messages, its bound (queued_max); wait until some are taken",
        {}};
  if (command.settings && command.settings->provider
      && !known.providers.contains(*command.settings->provider))
    return problem{problem_code::invalid_input,
        "unknown provider `" + command.settings->provider->substr(0, 140)
            + "`; configure it under [providers] first",
        {}};
  return std::nullopt;
}

message_queued accepted(const accept_message& command) {
  return {command.message_id, command.delivery, command.content, command.role, command.settings,
      command.metadata, command.by};
}

decision decide(const state& now, const accept_message& command, const inputs& in) {
  const auto& queue = command.delivery == delivery::steer ? now.steer : now.sends;
  if (auto why = refusal({now.options->id, now.closed || now.closing, queue.size()}, command, in.known))
    return *why;
  draft d(now, in);
  d.add(accepted(command));
  return d.take();
}

} // namespace troupe::session
