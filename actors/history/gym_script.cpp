// Each answer is used once, in the order in which they came: what is asked stands in no rule.
#include "actors/history/gym_script.hpp"

#include "messages/json.hpp"

#include <algorithm>

namespace troupe::actors {

namespace {

void put_step(json::writer& out, const block& shown) {
  out.begin_object();
  if (const auto* const text = std::get_if<text_block>(&shown)) {
    out.field("text", text->text.text);
  } else if (const auto* const thought = std::get_if<thinking_block>(&shown)) {
    out.field("thinking", thought->text.text);
  } else if (const auto* const call = std::get_if<tool_call_block>(&shown)) {
    out.key("call").begin_object().field("name", call->name);
    if (call->arguments)
      out.key("arguments").raw_text(call->arguments->text);
    else
      out.field("raw_arguments", call->arguments_raw ? call->arguments_raw->text : std::string());
    if (!call->call_id.empty())
      out.field("id", call->call_id);
    out.end_object();
  }
  out.end_object();
}

// Ours counts the whole prompt, the Messages API what wasn't cached.
void put_usage_step(json::writer& out, const usage& used) {
  if (!used.input_tokens && !used.output_tokens)
    return;
  const std::int64_t cached = used.cache_read_tokens.value_or(0) + used.cache_write_tokens.value_or(0);
  out.begin_object().key("usage").begin_object();
  if (used.input_tokens)
    out.key("input_tokens").number(std::max<std::int64_t>(*used.input_tokens - cached, 0));
  if (used.output_tokens)
    out.key("output_tokens").number(*used.output_tokens);
  if (used.cache_read_tokens)
    out.key("cache_read_input_tokens").number(*used.cache_read_tokens);
  if (used.cache_write_tokens)
    out.key("cache_creation_input_tokens").number(*used.cache_write_tokens);
  out.end_object().end_object();
}

/// What the service itself said: our adapter put where it was said in front of it.
struct said_by_service {
  std::string type = "api_error";
  std::string message;
};

said_by_service said(const failure& why) {
  const std::string where = " answered " + std::to_string(why.status.value_or(0)) + ": ";
  const auto at = why.message.find(where);
  const auto rest = at == std::string::npos ? why.message : why.message.substr(at + where.size());
  const auto cut = rest.find(": ");
  if (at == std::string::npos || cut == std::string::npos)
    return {.message = rest};
  return {rest.substr(0, cut), rest.substr(cut + 2)};
}

void put_failure(json::writer& out, const failure& why, bool has_begun) {
  const auto [type, message] = said(why);
  out.begin_object();
  if (why.status && !has_begun)
    out.key("http_error").begin_object().key("status").number(*why.status);
  else
    out.key("stream_error").begin_object();
  out.field("type", type).field("message", message).end_object().end_object();
}

bool can_be_said(const block& shown) {
  return std::holds_alternative<text_block>(shown) || std::holds_alternative<thinking_block>(shown)
      || std::holds_alternative<tool_call_block>(shown);
}

} // namespace

void gym_script::take(const event& happened) {
  if (const auto* const it = std::get_if<inference_started>(&happened.data)) {
    inference_ = it->inference_id;
    blocks_.clear();
  } else if (const auto* const shown = std::get_if<assistant_block>(&happened.data)) {
    if (shown->inference_id == inference_)
      blocks_.push_back(shown->block);
  } else if (const auto* const end = std::get_if<inference_finished>(&happened.data)) {
    finish(*end);
  } else if (std::holds_alternative<output_voided>(happened.data)
      || std::holds_alternative<compaction_finished>(happened.data)) {
    ++left_out_;
  }
}

void gym_script::finish(const inference_finished& end) {
  if (end.state == inference_state::cancelled) {
    ++left_out_;
    return;
  }
  const bool failed = end.state == inference_state::error && end.error && !end.stop;
  json::writer out;
  // whoever asks tries again as often as it did then
  out.begin_object().key("times").number(failed && end.error->retryable ? end.retries + 1 : 1);
  out.key("reply").begin_array();
  for (const auto& shown : blocks_)
    if (can_be_said(shown))
      put_step(out, shown);
  if (failed) {
    put_failure(out, *end.error, !blocks_.empty());
  } else {
    put_usage_step(out, end.usage);
    if (end.stop)
      out.begin_object().field("stop", *end.stop).end_object();
  }
  lines_ += out.end_array().end_object().take() + "\n";
  ++answers_;
}

} // namespace troupe::actors
