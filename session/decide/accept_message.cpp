// A message is accepted into its queue; that its id is new is the journal's to say.
#include "messages/text.hpp"
#include "session/decide.hpp"
#include "session/draft.hpp"
#include "session/effort.hpp"

#include <algorithm>

namespace troupe::session {

namespace {

std::size_t bytes_of(const content& value) {
  std::size_t bytes = 0;
  for (const auto& part : parts_of(value)) {
    if (const auto* const text = std::get_if<text_part>(&part))
      bytes += text->text.text.size();
    if (const auto* const image = std::get_if<image_part>(&part); image && image->data)
      bytes += image->data->text.size();
    if (const auto* const document = std::get_if<document_part>(&part); document && document->data)
      bytes += document->data->text.size();
  }
  return bytes;
}

} // namespace

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
  if (const std::size_t bytes = bytes_of(command.content); bytes > message_bytes_max)
    return problem{problem_code::too_large,
        "the message has " + std::to_string(bytes) + " bytes, its bound is "
            + std::to_string(message_bytes_max) + " (message_bytes_max); put it into a file and name that",
        {}};
  if (queue.waiting >= known.queued_max)
    return problem{problem_code::too_large,
        "the queue holds " + std::to_string(known.queued_max)
            + " messages, its bound (queued_messages_max); wait until some are taken",
        {}};
  if (command.settings && command.settings->provider
      && !known.providers.contains(*command.settings->provider))
    return problem{problem_code::invalid_input,
        "unknown provider `" + command.settings->provider->substr(0, 140)
            + "`; configure it under [providers] first",
        {}};
  if (command.settings && command.settings->effort && !is_effort(*command.settings->effort))
    return problem{problem_code::invalid_input, "`effort` " + no_effort(*command.settings->effort), {}};
  // a model alone is of whichever provider the session has when it is consumed
  if (command.settings && command.settings->provider && command.settings->model)
    return known.providers.at(*command.settings->provider)
        .refusal(*command.settings->provider, *command.settings->model);
  return std::nullopt;
}

std::optional<problem> provider_fact::refusal(const std::string& id, const std::string& model) const {
  if (models.empty() || std::find(models.begin(), models.end(), model) != models.end())
    return std::nullopt;
  const std::vector<std::string_view> names(models.begin(), models.end());
  const std::string near = nearest_name(model, names.data(), names.data() + names.size());
  return problem{problem_code::invalid_input,
      "the provider `" + id + "` has no model `" + model.substr(0, 140) + "`"
          + (near.empty() ? "; its `models` are listed in the configuration"
                          : "; did you mean `" + near + "`?"),
      {}};
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
