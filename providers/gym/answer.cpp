// Events written straight into the output: one answer is one or a few writes to the socket.
#include "providers/gym/answer.hpp"

#include "messages/text.hpp"

namespace troupe::providers::gym {

namespace {

constexpr std::size_t argument_piece_bytes = 32;
constexpr std::size_t bytes_a_token = 4;

void event(std::string& out, std::string_view type, std::string_view rest) {
  out.append("event: ")
      .append(type)
      .append("\ndata: {\"type\":\"")
      .append(type)
      .append("\"")
      .append(rest)
      .append("}\n\n");
}

// Where the next piece of a text ends: after a word with the blanks that follow it, or at the last
// whole character of so many bytes.
std::size_t piece_end(std::string_view text, std::size_t bytes) {
  if (bytes > 0) {
    auto piece = utf8_prefix(text, bytes).size();
    for (auto wider = bytes + 1; piece == 0; ++wider) // one character is wider than that
      piece = utf8_prefix(text, wider).size();
    return piece;
  }
  auto blank = text.find_first_of(" \n", 1);
  auto word = blank == std::string_view::npos ? blank : text.find_first_not_of(" \n", blank);
  return word == std::string_view::npos ? text.size() : word;
}

} // namespace

answer::answer(const conversation& asked, std::int64_t number)
    : model_(asked.model), id_("msg_gym_" + std::to_string(number)), taken_(asked.call_ids),
      inference_(asked.inference),
      input_tokens_(static_cast<std::int64_t>(asked.prompt_bytes / bytes_a_token)) {}

void answer::begin(std::string& out) {
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

void answer::start_block(const std::string& block, std::string& out) {
  event(out, "content_block_start", ",\"index\":" + std::to_string(index_) + ",\"content_block\":" + block);
}

void answer::stop_block(std::string& out) {
  event(out, "content_block_stop", ",\"index\":" + std::to_string(index_));
  ++index_;
}

void answer::text_deltas(
    std::string_view text, std::string_view type, std::string_view key, std::string& out) {
  auto before = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":"
      + std::to_string(index_) + ",\"delta\":{\"type\":\"" + std::string(type) + "\",\"" + std::string(key)
      + "\":";
  while (!text.empty()) {
    auto size = piece_end(text, cut_);
    out += before;
    json::append_string(out, text.substr(0, size));
    out += "}}\n\n";
    text.remove_prefix(size);
    ++output_tokens_;
  }
}

void answer::add(const say& part, std::string& out) {
  start_block(R"({"type":"text","text":""})", out);
  text_deltas(part.text, "text_delta", "text", out);
  stop_block(out);
  content_ +=
      std::string(content_.empty() ? "" : ",") + R"({"type":"text","text":)" + json::quote(part.text) + "}";
}

void answer::add(const think& part, std::string& out) {
  auto signature = "gym-" + std::to_string(inference_) + "-" + std::to_string(index_);
  start_block(R"({"type":"thinking","thinking":"","signature":""})", out);
  text_deltas(part.text, "thinking_delta", "thinking", out);
  event(out, "content_block_delta",
      ",\"index\":" + std::to_string(index_) + R"(,"delta":{"type":"signature_delta","signature":")"
          + signature + "\"}");
  stop_block(out);
  content_ += std::string(content_.empty() ? "" : ",") + R"({"type":"thinking","thinking":)"
      + json::quote(part.text) + R"(,"signature":")" + signature + "\"}";
}

// The number of the inference and of the call in it, further on where the conversation has that already.
std::string answer::fresh_call_id() {
  std::string id;
  do
    id = "toolu_gym_" + std::to_string(inference_) + "_" + std::to_string(++calls_);
  while (!taken_.insert(id).second);
  return id;
}

void answer::add(const call_tool& part, std::string& out) {
  auto id = part.id.empty() ? fresh_call_id() : part.id;
  auto head = R"({"type":"tool_use","id":)" + json::quote(id) + R"(,"name":)" + json::quote(part.name)
      + R"(,"input":)";
  start_block(head + "{}}", out);
  auto cut = std::exchange(cut_, cut_ == 0 ? argument_piece_bytes : cut_);
  text_deltas(part.arguments, "input_json_delta", "partial_json", out);
  cut_ = cut;
  stop_block(out);
  auto lawful = json::compact(part.arguments);
  content_ +=
      (content_.empty() ? "" : ",") + head + (lawful ? lawful->text.text : json::quote(part.arguments)) + "}";
  if (!stop_)
    stop_ = "tool_use";
}

void answer::add(const break_stream& part, std::string& out) {
  event(out, "error",
      R"(,"error":{"type":)" + json::quote(part.type) + R"(,"message":)" + json::quote(part.message) + "}");
}

void answer::end(std::string& out) {
  if (stop_reason().empty())
    return;
  event(out, "message_delta",
      R"(,"delta":{"stop_reason":)" + json::quote(stop_reason()) + R"(,"stop_sequence":null},"usage":)"
          + usage_json());
  event(out, "message_stop", "");
}

std::string answer::stop_reason() const { return stop_.value_or("end_turn"); }

// What the script says, key by key, over what was counted.
std::string answer::usage_json() const {
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

std::string answer::whole() const {
  json::writer out;
  out.begin_object()
      .field("id", id_)
      .field("type", "message")
      .field("role", "assistant")
      .field("model", model_);
  out.key("content").raw_text("[" + content_ + "]");
  out.key("stop_reason")
      .raw_text(stop_reason().empty() ? "null" : json::quote(stop_reason()))
      .key("stop_sequence")
      .null();
  out.key("usage").raw_text(usage_json()).end_object();
  return out.take();
}

std::string answer::error_document(std::string_view type, std::string_view message, std::int64_t number) {
  json::writer out;
  out.begin_object()
      .field("type", "error")
      .key("error")
      .begin_object()
      .field("type", type)
      .field("message", message)
      .end_object();
  out.field("request_id", "req_gym_" + std::to_string(number)).end_object();
  return out.take();
}

} // namespace troupe::providers::gym
