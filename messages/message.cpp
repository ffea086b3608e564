// Messages of the context to JSON and back.
#include "messages/message.hpp"

#include "messages/json_reading.hpp"

namespace troupe {

std::string to_json(const message& message) {
  json::writer out;
  out.begin_object().field("role", message.role).key("content");
  if (message.role == "assistant")
    json::put(out, message.blocks);
  else
    json::put(out, message.parts);
  if (message.call_id)
    out.field("call_id", *message.call_id);
  if (message.is_error)
    out.key("is_error").boolean(*message.is_error);
  out.end_object();
  return out.take();
}

result<message> message_from_json(const json::value& value) {
  message out;
  json::reader reader(false);
  const auto* const role = value.find("role");
  const auto* const content = value.find("content");
  if (!role || !content || !role->is(json::kind::string))
    return problem{problem_code::corrupt, "a message of a context has a `role` and a `content`", {}};
  out.role = role->as_string();
  if (out.role == "assistant")
    reader.get(*content, out.blocks);
  else
    reader.get(*content, out.parts);
  if (const auto* const call_id = value.find("call_id"))
    reader.get(*call_id, out.call_id.emplace());
  if (const auto* const is_error = value.find("is_error"))
    reader.get(*is_error, out.is_error.emplace());
  if (!reader.faults().empty())
    return problem{problem_code::corrupt, "a message of a context breaks its form", reader.faults()};
  return out;
}

} // namespace troupe
