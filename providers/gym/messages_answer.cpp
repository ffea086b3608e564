// Events written straight into the output: one answer is one or a few writes to the socket.
#include "providers/gym/messages_answer.hpp"

namespace troupe::providers::gym {

namespace {

void event(std::string& out, std::string_view type, std::string_view rest) {
  out.append("event: ")
      .append(type)
      .append("\ndata: {\"type\":\"")
      .append(type)
      .append("\"")
      .append(rest)
      .append("}\n\n");
}

} // namespace

void messages_answer::begin(std::string& out) {
  json::writer start;
  start.begin_object()
      .field("id", id_)
      .field("type", "message")
      .field("role", "assistant")
      .field("model", model_);
  start.key("content").raw_text("[]").key("stop_reason").null().key("stop_sequence").null();
  start.key("usage").raw_text(usage_json()).end_object();
  event(out, "message_start", ",\"message\":" + start.text());
}

void messages_answer::start_block(const std::string& block, std::string& out) {
  event(out, "content_block_start", ",\"index\":" + std::to_string(index_) + ",\"content_block\":" + block);
}

void messages_answer::stop_block(std::string& out) {
  event(out, "content_block_stop", ",\"index\":" + std::to_string(index_));
  ++index_;
}

void messages_answer::text_deltas(
    std::string_view text, std::string_view type, std::string_view key, std::string& out) {
  auto before = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":"
      + std::to_string(index_) + ",\"delta\":{\"type\":\"" + std::string(type) + "\",\"" + std::string(key)
      + "\":";
  auto arguments = key == "partial_json";
  while (!text.empty()) {
    out += before;
    json::append_string(out, arguments ? next_argument_piece(text) : next_piece(text));
    out += "}}\n\n";
    ++output_tokens_;
  }
}

// Text after text goes on in the same block, whatever stood still between: so a stream can be held in
// the middle of one.
void messages_answer::go_on_in(open_block kind, std::string& out) {
  if (open_ == kind)
    return;
  close_block(out);
  open_ = kind;
  start_block(kind == open_block::text ? R"({"type":"text","text":""})"
                                       : R"({"type":"thinking","thinking":"","signature":""})",
      out);
}

std::string messages_answer::open_content() const {
  if (open_ == open_block::none)
    return {};
  const std::string comma = content_.empty() ? "" : ",";
  if (open_ == open_block::text)
    return comma + R"({"type":"text","text":)" + json::quote(open_text_) + "}";
  return comma + R"({"type":"thinking","thinking":)" + json::quote(open_text_) + R"(,"signature":")"
      + signature() + "\"}";
}

void messages_answer::close_block(std::string& out) {
  if (open_ == open_block::none)
    return;
  if (open_ == open_block::thinking)
    event(out, "content_block_delta",
        ",\"index\":" + std::to_string(index_) + R"(,"delta":{"type":"signature_delta","signature":")"
            + signature() + "\"}");
  content_ += open_content();
  stop_block(out);
  open_ = open_block::none;
  open_text_.clear();
}

// One block with one delta; a text that is empty is null, as where the service has failed.
void messages_answer::compact(std::string_view text, std::string& out) {
  const std::string content = text.empty() ? "null" : json::quote(text);
  start_block(R"({"type":"compaction","content":null,"encrypted_content":null})", out);
  event(out, "content_block_delta",
      ",\"index\":" + std::to_string(index_) + R"(,"delta":{"type":"compaction_delta","content":)" + content
          + R"(,"encrypted_content":null})");
  stop_block(out);
  content_ += std::string(content_.empty() ? "" : ",") + R"({"type":"compaction","content":)" + content
      + R"(,"encrypted_content":null})";
}

void messages_answer::add(const say& part, std::string& out) {
  if (compacts_)
    return compact(part.text, out);
  go_on_in(open_block::text, out);
  text_deltas(part.text, "text_delta", "text", out);
  open_text_ += part.text;
}

void messages_answer::add(const think& part, std::string& out) {
  go_on_in(open_block::thinking, out);
  text_deltas(part.text, "thinking_delta", "thinking", out);
  open_text_ += part.text;
}

void messages_answer::add(const call_tool& part, std::string& out) {
  close_block(out);
  auto id = part.id.empty() ? fresh_call_id() : part.id;
  auto head = R"({"type":"tool_use","id":)" + json::quote(id) + R"(,"name":)" + json::quote(part.name)
      + R"(,"input":)";
  start_block(head + "{}}", out);
  text_deltas(part.arguments, "input_json_delta", "partial_json", out);
  stop_block(out);
  auto lawful = json::compact(part.arguments);
  content_ +=
      (content_.empty() ? "" : ",") + head + (lawful ? lawful->text.text : json::quote(part.arguments)) + "}";
  if (!stop_)
    stop_ = "tool_use";
}

void messages_answer::add(const break_stream& part, std::string& out) {
  event(out, "error",
      R"(,"error":{"type":)" + json::quote(part.type) + R"(,"message":)" + json::quote(part.message) + "}");
}

void messages_answer::end(std::string& out) {
  close_block(out);
  if (stop_reason().empty())
    return;
  event(out, "message_delta",
      R"(,"delta":{"stop_reason":)" + json::quote(stop_reason()) + R"(,"stop_sequence":null},"usage":)"
          + usage_json());
  event(out, "message_stop", "");
}

// What the script says, key by key, over what was counted.
std::string messages_answer::usage_json() const {
  auto said = json::parse(usage_);
  auto has = [&](std::string_view key) { return said && said->find(key) != nullptr; };
  json::writer out;
  out.begin_object();
  if (!has("input_tokens"))
    out.key("input_tokens").number(input_tokens_);
  if (!has("cache_creation_input_tokens"))
    out.key("cache_creation_input_tokens").number(std::int64_t{0});
  if (!has("cache_read_input_tokens"))
    out.key("cache_read_input_tokens").number(std::int64_t{0});
  if (!has("output_tokens"))
    out.key("output_tokens").number(output_tokens_);
  if (said)
    for (const auto& [key, value] : said->members())
      out.key(key).raw_text(value.source());
  out.end_object();
  return out.take();
}

std::string messages_answer::whole() const {
  json::writer out;
  out.begin_object()
      .field("id", id_)
      .field("type", "message")
      .field("role", "assistant")
      .field("model", model_);
  out.key("content").raw_text("[" + content_ + open_content() + "]");
  out.key("stop_reason")
      .raw_text(stop_reason().empty() ? "null" : json::quote(stop_reason()))
      .key("stop_sequence")
      .null();
  out.key("usage").raw_text(usage_json()).end_object();
  return out.take();
}

} // namespace troupe::providers::gym
