// A message is accepted into its queue; that its id is new is the journal's to say.
#include "session/decide.hpp"
#include "session/draft.hpp"

namespace troupe::session {

namespace {

std::optional<problem> refusal(const state& now, const accept_message& command, const inputs& in) {
  if (now.closed || now.closing)
    return problem{problem_code::closed,
        "the session `" + now.options->id + "` is closed and takes no more messages", {}};
  if (!is_id(command.message_id))
    return problem{problem_code::invalid_input,
        "`" + command.message_id.substr(0, 140)
            + "` is no message id: 1 to 128 of A-Z a-z 0-9 . _ - beginning with a letter or digit",
        {}};
  const auto& queue = command.delivery == delivery::steer ? now.steer : now.sends;
  if (queue.size() >= queued_max)
    return problem{problem_code::too_large,
        "the queue holds " + std::to_string(queued_max)
            + " messages, its bound (queued_max); wait until some are taken",
        {}};
  if (command.settings && command.settings->provider && !in.providers.contains(*command.settings->provider))
    return problem{problem_code::invalid_input, "unknown provider `" + *command.settings->provider + "`", {}};
  return std::nullopt;
}

} // namespace

decision decide(const state& now, const accept_message& command, const inputs& in) {
  if (auto why = refusal(now, command, in))
    return *why;
  draft d(now, in);
  d.add(message_queued{command.message_id, command.delivery, command.content, command.role, command.settings,
      command.metadata, command.by});
  return d.take();
}

} // namespace troupe::session
