// A request's settings, tools and turns put together as one body.
#include "providers/openai_chat/request.hpp"

#include "providers/openai_chat/turns.hpp"

namespace troupe::providers::openai_chat {

namespace {

// One text stands as itself, which every server takes; more, or a picture, as a list of parts.
void write_content(json::writer& out, const std::vector<wire_part>& parts) {
  out.key("content");
  if (parts.size() == 1 && parts.front().text) {
    out.string(*parts.front().text);
    return;
  }
  out.begin_array();
  for (const auto& part : parts)
    if (part.text)
      out.begin_object().field("type", "text").field("text", *part.text).end_object();
    else
      out.raw_text(part.json);
  out.end_array();
}

void write_turn(json::writer& out, const turn& one) {
  if (!one.answer.empty() || !one.calls.empty()) {
    out.begin_object().field("role", "assistant");
    if (one.answer.empty())
      out.key("content").null();
    else
      write_content(out, one.answer);
    if (!one.calls.empty()) { // an empty list is refused
      out.key("tool_calls").begin_array();
      for (const auto& call : one.calls)
        out.raw_text(call);
      out.end_array();
    }
    out.end_object();
  }
  for (const auto& result : one.results)
    out.raw_text(result);
  if (one.user.empty())
    return;
  out.begin_object().field("role", "user");
  write_content(out, one.user);
  out.end_object();
}

void write_messages(json::writer& out, const inference_request& request, const std::vector<turn>& turns) {
  out.key("messages").begin_array();
  if (!is_blank(request.instructions)) // `system` is taken everywhere, `developer` only by OpenAI
    out.begin_object().field("role", "system").field("content", request.instructions).end_object();
  for (const auto& one : turns)
    write_turn(out, one);
  out.end_array();
}

void write_tools(json::writer& out, const std::vector<offered_tool>& tools) {
  if (tools.empty())
    return;
  out.key("tools").begin_array();
  for (const auto& tool : tools) {
    out.begin_object().field("type", "function").key("function").begin_object().field("name", tool.name);
    if (!tool.description.empty())
      out.field("description", tool.description);
    out.key("parameters")
        .raw_text(
            tool.parameters.text.empty() ? R"({"type":"object","properties":{}})" : tool.parameters.text)
        .end_object()
        .end_object();
  }
  out.end_array();
}

} // namespace

result<std::string> write_body(const inference_request& request) {
  conversation said;
  for (const auto& one : request.messages)
    said.add(one);
  auto turns = said.take();
  if (said.fault())
    return *said.fault();
  if (turns.empty())
    return problem{
        problem_code::invalid_input, "there is nothing to send: every message of the context is empty", {}};

  json::writer out;
  out.begin_object().field("model", request.model);
  write_messages(out, request, turns);
  write_tools(out, request.tools);
  out.key("stream").boolean(true);
  out.key("stream_options").begin_object().key("include_usage").boolean(true).end_object();
  if (request.max_output_tokens)
    out.key("max_completion_tokens").number(*request.max_output_tokens);
  if (request.effort)
    out.field("reasoning_effort", *request.effort == "off" ? "none" : *request.effort);
  // a model that thinks takes no temperature but its own
  if (request.temperature && request.effort.value_or("off") == "off")
    out.key("temperature").number(*request.temperature);
  if (request.service_tier)
    out.field("service_tier", *request.service_tier);
  out.end_object();
  return out.take();
}

} // namespace troupe::providers::openai_chat
