// An answer that came as one JSON object is told as the stream that it stands for.
#include "providers/anthropic/decode.hpp"

#include "messages/text.hpp"

namespace troupe::providers::anthropic {

namespace {

std::string event_json(
    std::string_view type, std::string_view key, std::string_view value, std::int64_t index = -1) {
  json::writer out;
  out.begin_object().field("type", type);
  if (index >= 0)
    out.key("index").number(index);
  if (!key.empty())
    out.key(key).raw_text(value);
  out.end_object();
  return out.take();
}

std::string stop_delta(const json::value& message) {
  const auto* reason = message.find("stop_reason");
  json::writer out;
  out.begin_object().key("stop_reason").raw_text(reason != nullptr ? reason->source() : "null").end_object();
  return event_json("message_delta", "delta", out.text());
}

} // namespace

void whole_decoder::tell(
    const std::string& body, std::optional<failure> cut, std::vector<stream_event>& events) {
  stream_decoder stream;
  auto take = [&](std::string data) { return stream.take({"message", std::move(data)}, events); };
  auto parsed = json::parse(body);
  if (parsed && parsed->find("error") != nullptr) {
    take(event_json("error", "error", parsed->find("error")->source()));
  } else if (parsed && parsed->is(json::kind::object)) {
    take(event_json("message_start", "message", parsed->source()));
    std::int64_t index = 0;
    if (const auto* content = parsed->find("content"))
      for (const auto& block : content->items()) {
        if (!take(event_json("content_block_start", "content_block", block.source(), index))
            || !take(event_json("content_block_stop", {}, {}, index)))
          break;
        ++index;
      }
    take(stop_delta(*parsed));
  } else if (!cut) {
    take(std::string(utf8_prefix(body, 1000)));
  }
  stream.finish(std::move(cut), events);
}

} // namespace troupe::providers::anthropic
