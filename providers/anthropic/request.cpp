// A request's settings, tools and messages put together as one body.
#include "providers/anthropic/request.hpp"

#include "providers/anthropic/format.hpp"
#include "providers/anthropic/wire_messages.hpp"

namespace troupe::providers::anthropic {

namespace {

constexpr std::string_view cache_mark = R"(,"cache_control":{"type":"ephemeral"}})";

void write_blocks(json::writer& out, const std::vector<wire_block>& blocks, bool mark_last) {
  for (const auto& block : blocks) {
    auto marked = mark_last && &block == &blocks.back() && block.cacheable;
    out.raw_text(marked ? block.json.substr(0, block.json.size() - 1).append(cache_mark) : block.json);
  }
}

void write_messages(json::writer& out, const std::vector<wire_message>& messages) {
  out.key("messages").begin_array();
  if (messages.front().assistant) // the first word is the user's, whatever was left out before
    out.raw_text(
        R"({"role":"user","content":[{"type":"text","text":"<system>The conversation goes on from here.</system>"}]})");
  for (const auto& one : messages) {
    auto is_last = &one == &messages.back();
    out.begin_object().field("role", one.assistant ? "assistant" : "user").key("content").begin_array();
    write_blocks(out, one.results, is_last && one.blocks.empty());
    write_blocks(out, one.blocks, is_last);
    out.end_array().end_object();
  }
  out.end_array();
}

void write_tools(json::writer& out, const std::vector<offered_tool>& tools) {
  if (tools.empty())
    return;
  out.key("tools").begin_array();
  for (const auto& tool : tools) {
    out.begin_object().field("name", tool.name);
    if (!tool.description.empty())
      out.field("description", tool.description);
    out.key("input_schema")
        .raw_text(tool.parameters.text.empty() ? R"({"type":"object"})" : tool.parameters.text)
        .end_object();
  }
  out.end_array();
}

// Within a round of tools the service takes thinking only where the round began with it: not where the effort
// was raised, or thinking of another model left out, in the middle of one.
bool may_think(const std::vector<wire_message>& messages) {
  const wire_message* first = nullptr; // the answer that the round began with
  for (auto at = messages.rbegin(); at != messages.rend() && !at->assistant && !at->results.empty(); ++at)
    if (++at != messages.rend())
      first = &*at;
    else
      break;
  return !first || (!first->blocks.empty() && first->blocks.front().thinking);
}

/// The tokens that are thought with; none where they are the model's to choose, or it doesn't think.
std::int64_t thought_tokens(const inference_request& request, const std::vector<wire_message>& messages) {
  return request.thinking_budget && may_think(messages) ? *request.thinking_budget : 0;
}

// `off` says no thinking. The other efforts are a number of tokens for models that want one; those that
// decide by themselves are told the word, of which the service knows no `minimal`.
void write_effort(json::writer& out, const inference_request& request, std::int64_t tokens) {
  if (!request.effort)
    return;
  const std::string& effort = *request.effort;
  out.key("thinking").begin_object();
  if (effort == "off" || (request.thinking_budget && tokens == 0))
    out.field("type", "disabled").end_object();
  else if (request.thinking_budget)
    out.field("type", "enabled").key("budget_tokens").number(tokens).end_object();
  else
    out.field("type", "adaptive")
        .end_object()
        .key("output_config")
        .begin_object()
        .field("effort", effort == "minimal" ? "low" : effort)
        .end_object();
}

} // namespace

result<std::string> write_body(const inference_request& request) {
  conversation said;
  for (const auto& one : request.messages)
    said.add(one);
  auto messages = said.take();
  if (said.fault())
    return *said.fault();
  if (messages.empty())
    return problem{
        problem_code::invalid_input, "there is nothing to send: every message of the context is empty", {}};

  json::writer out;
  out.begin_object().field("model", request.model);
  // what is thought counts, too: the answer keeps its room beside it (P-077)
  const std::int64_t tokens = thought_tokens(request, messages);
  out.key("max_tokens").number(request.max_output_tokens.value_or(max_tokens_default) + tokens);
  out.key("stream").boolean(true);
  if (!is_blank(request.instructions)) {
    out.key("system").begin_array();
    auto block = text_of(request.instructions);
    write_blocks(out, {block}, true);
    out.end_array();
  }
  write_tools(out, request.tools);
  write_messages(out, messages);
  write_effort(out, request, tokens);
  // a model that thinks takes no temperature but its own
  if (request.temperature && request.effort.value_or("off") == "off")
    out.key("temperature").number(*request.temperature);
  if (request.service_tier)
    out.field("service_tier", *request.service_tier);
  if (request.compact)
    out.key("compaction").begin_object().field("type", "summarize").end_object();
  out.end_object();
  return out.take();
}

} // namespace troupe::providers::anthropic
