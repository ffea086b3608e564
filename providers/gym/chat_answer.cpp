// Chunks written straight into the output, and the same as one completion.
#include "providers/gym/chat_answer.hpp"

namespace troupe::providers::gym {

namespace {

/// The moment of every answer: that of the clock would make each run another.
constexpr std::string_view created = "1735689600";

} // namespace

void chat_answer::chunk(std::string_view choices, const std::string& usage, std::string& out) {
  out.append("data: {\"id\":\"").append(id_).append(R"(","object":"chat.completion.chunk","created":)");
  out.append(created).append(",\"model\":");
  json::append_string(out, model_);
  out.append(",\"choices\":[").append(choices).append("]");
  if (tells_usage_)
    out.append(",\"usage\":").append(usage);
  out += "}\n\n";
}

void chat_answer::delta(std::string_view body, std::string& out) {
  std::string choice = R"({"index":0,"delta":{)";
  choice.append(body).append(R"(},"logprobs":null,"finish_reason":null})");
  chunk(choice, "null", out);
}

void chat_answer::begin(std::string& out) { delta(R"("role":"assistant","content":"","refusal":null)", out); }

void chat_answer::text_deltas(std::string_view text, std::string_view key, std::string& out) {
  while (!text.empty()) {
    auto body = "\"" + std::string(key) + "\":";
    json::append_string(body, next_piece(text));
    delta(body, out);
    ++output_tokens_;
  }
}

void chat_answer::add(const say& part, std::string& out) {
  text_deltas(part.text, "content", out);
  text_ += part.text;
}

void chat_answer::add(const think& part, std::string& out) {
  text_deltas(part.text, "reasoning_content", out);
  thought_ += part.text;
}

void chat_answer::add(const call_tool& part, std::string& out) {
  auto id = part.id.empty() ? fresh_call_id() : part.id;
  auto at = "\"tool_calls\":[{\"index\":" + std::to_string(call_count_++);
  auto head = "\"id\":" + json::quote(id) + R"(,"type":"function","function":{"name":)"
      + json::quote(part.name) + ",\"arguments\":";
  delta(at + "," + head + "\"\"}}]", out);
  std::string_view rest = part.arguments;
  while (!rest.empty()) {
    auto body = at + ",\"function\":{\"arguments\":";
    json::append_string(body, next_argument_piece(rest));
    delta(body + "}}]", out);
    ++output_tokens_;
  }
  calls_json_ += (calls_json_.empty() ? "{" : ",{") + head + json::quote(part.arguments) + "}}";
}

void chat_answer::add(const break_stream& part, std::string& out) {
  out += R"(data: {"error":{"message":)" + json::quote(part.message) + ",\"type\":" + json::quote(part.type)
      + R"(,"param":null,"code":null}})" + "\n\n";
}

void chat_answer::end(std::string& out) {
  if (stop_ && stop_->empty())
    return;
  chunk(R"({"index":0,"delta":{},"logprobs":null,"finish_reason":)" + json::quote(finish_reason()) + "}",
      "null", out);
  if (tells_usage_)
    chunk("", usage_json(), out);
  out += "data: [DONE]\n\n";
}

// A script says the reasons as the Messages API does; those of this one are taken, too.
std::string chat_answer::finish_reason() const {
  auto said = stop_.value_or(call_count_ > 0 ? "tool_use" : "end_turn");
  if (said == "end_turn" || said == "stop_sequence")
    return "stop";
  if (said == "tool_use")
    return "tool_calls";
  if (said == "max_tokens")
    return "length";
  return said == "refusal" ? "content_filter" : said;
}

// What the script says over what was counted; the names of the Messages API are taken, too.
std::string chat_answer::usage_json() const {
  auto said = json::parse(usage_);
  auto number = [&](std::string_view key) -> std::optional<std::int64_t> {
    const auto* found = said ? said->find(key) : nullptr;
    return found != nullptr ? found->as_int64() : std::nullopt;
  };
  auto cached = number("cache_read_input_tokens").value_or(0);
  auto fresh = number("input_tokens").value_or(input_tokens_);
  auto prompt = number("prompt_tokens").value_or(fresh + cached);
  auto completion = number("completion_tokens").value_or(number("output_tokens").value_or(output_tokens_));
  json::writer out;
  out.begin_object().key("prompt_tokens").number(prompt).key("completion_tokens").number(completion);
  out.key("total_tokens").number(number("total_tokens").value_or(prompt + completion));
  out.key("prompt_tokens_details").begin_object().key("cached_tokens").number(cached).end_object();
  out.key("completion_tokens_details")
      .begin_object()
      .key("reasoning_tokens")
      .number(number("reasoning_tokens").value_or(0))
      .end_object();
  out.end_object();
  return out.take();
}

std::string chat_answer::whole() const {
  json::writer out;
  out.begin_object().field("id", id_).field("object", "chat.completion");
  out.key("created").raw_text(created).field("model", model_);
  out.key("choices").begin_array().begin_object().key("index").number(std::int64_t{0});
  out.key("message").begin_object().field("role", "assistant").key("content");
  if (text_.empty() && !calls_json_.empty())
    out.null();
  else
    out.string(text_);
  out.key("refusal").null();
  if (!thought_.empty())
    out.field("reasoning_content", thought_);
  if (!calls_json_.empty())
    out.key("tool_calls").raw_text("[" + calls_json_ + "]");
  out.end_object().key("logprobs").null().key("finish_reason");
  if (stop_ && stop_->empty())
    out.null();
  else
    out.string(finish_reason());
  out.end_object().end_array().key("usage").raw_text(usage_json()).end_object();
  return out.take();
}

} // namespace troupe::providers::gym
