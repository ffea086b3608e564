// A completion that came as one object is told as the chunk that it stands for.
#include "providers/openai_chat/decode.hpp"

#include "messages/text.hpp"

namespace troupe::providers::openai_chat {

namespace {

// The same members; a choice's `message` is a delta that brings everything at once.
std::string as_chunk(const json::value& completion) {
  json::writer out;
  out.begin_object();
  for (const auto& [key, value] : completion.members()) {
    if (key != "choices") {
      out.key(key).raw_text(value.source());
      continue;
    }
    out.key(key).begin_array();
    for (const auto& choice : value.items()) {
      out.begin_object();
      for (const auto& [name, part] : choice.members())
        out.key(name == "message" ? "delta" : name).raw_text(part.source());
      out.end_object();
    }
    out.end_array();
  }
  out.end_object();
  return out.take();
}

} // namespace

void whole_decoder::tell(
    const std::string& body, std::optional<failure> cut, std::vector<stream_event>& events) {
  stream_decoder stream;
  auto parsed = json::parse(body);
  if (parsed && parsed->is(json::kind::object))
    stream.take({"message", as_chunk(*parsed)}, events);
  else if (!cut)
    stream.take({"message", std::string(utf8_prefix(body, 1000))}, events);
  stream.finish(std::move(cut), events);
}

} // namespace troupe::providers::openai_chat
