// Messages, tools and settings written as the Messages API takes them.
#include "providers/anthropic/request.hpp"

#include "providers/anthropic/format.hpp"

#include <algorithm>

namespace troupe::providers::anthropic {

namespace {

constexpr std::string_view cache_mark = R"(,"cache_control":{"type":"ephemeral"}})";

struct wire_block {
  std::string json;
  bool cacheable = true;
  bool thinking = false;
};

/// One message as it is sent: what has one role and stands in a row is one.
struct wire_message {
  bool assistant = false;
  std::vector<wire_block> results; ///< they come before everything else of the message
  std::vector<wire_block> blocks;
};

// The service refuses text without a character that can be seen.
bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n\f\v") == std::string_view::npos;
}

wire_block text_of(std::string_view text) {
  json::writer out;
  out.begin_object().field("type", "text").field("text", text).end_object();
  return {out.take()};
}

/// Collects the messages; the first text that isn't at hand stops it.
class conversation {
 public:
  void add(const message& said) {
    if (said.role == "assistant")
      return add_answer(said);
    if (said.role == "tool")
      return add_result(said);
    auto& blocks = last(false).blocks;
    for (auto& block : parts(said.parts)) {
      blocks.push_back(std::move(block));
    }
  }

  void add_system(const message& said) {
    std::string text;
    for (const auto& part : said.parts)
      if (const auto* words = std::get_if<text_part>(&part))
        text += (text.empty() ? "" : "\n") + content_of(words->text);
    if (!is_blank(text))
      last(false).blocks.push_back(text_of("<system>" + text + "</system>"));
  }

  std::vector<wire_message> take() {
    std::vector<wire_message> kept;
    for (auto& one : messages_) {
      if (one.results.empty() && one.blocks.empty())
        continue;
      if (!kept.empty() && kept.back().assistant == one.assistant) {
        std::move(one.results.begin(), one.results.end(), std::back_inserter(kept.back().results));
        std::move(one.blocks.begin(), one.blocks.end(), std::back_inserter(kept.back().blocks));
      } else {
        kept.push_back(std::move(one));
      }
    }
    return kept;
  }

  const std::optional<problem>& fault() const { return fault_; }

 private:
  wire_message& last(bool assistant) {
    if (messages_.empty() || messages_.back().assistant != assistant)
      messages_.push_back({assistant, {}, {}});
    return messages_.back();
  }

  const std::string& content_of(const large_text& text) {
    if (!text.loaded && !fault_)
      fault_ = problem{problem_code::internal,
          "a text of the context is not at hand: " + (text.ref ? text.ref->blob : "without a name"), {}};
    return text.text;
  }

  std::vector<wire_block> parts(const std::vector<content_part>& content) {
    std::vector<wire_block> blocks;
    for (const auto& part : content) {
      if (const auto* words = std::get_if<text_part>(&part)) {
        if (const auto& text = content_of(words->text); !is_blank(text))
          blocks.push_back(text_of(text));
      } else if (const auto* image = std::get_if<image_part>(&part)) {
        blocks.push_back({media("image", image->media_type, image->data, image->url, std::nullopt)});
      } else {
        const auto& document = std::get<document_part>(part);
        blocks.push_back(
            {media("document", document.media_type, document.data, document.url, document.name)});
      }
    }
    return blocks;
  }

  std::string media(std::string_view type, const std::optional<std::string>& media_type,
      const std::optional<large_text>& data, const std::optional<std::string>& url,
      const std::optional<std::string>& name) {
    json::writer out;
    out.begin_object().field("type", type).key("source").begin_object();
    if (data) {
      out.field("type", "base64")
          .field("media_type", media_type.value_or(type == "image" ? "image/png" : "application/pdf"));
      out.field("data", content_of(*data));
    } else {
      out.field("type", "url").field("url", url.value_or(""));
    }
    out.end_object();
    if (name)
      out.field("title", *name);
    out.end_object();
    return out.take();
  }

  void add_result(const message& said) {
    json::writer out;
    out.begin_object().field("type", "tool_result").field("tool_use_id", said.call_id.value_or(""));
    if (auto content = parts(said.parts); !content.empty()) {
      out.key("content").begin_array();
      for (const auto& block : content)
        out.raw_text(block.json);
      out.end_array();
    }
    if (said.is_error.value_or(false))
      out.key("is_error").boolean(true);
    out.end_object();
    last(false).results.push_back({out.take()});
  }

  void add_answer(const message& said) {
    std::vector<wire_block> blocks;
    for (const auto& block : said.blocks)
      if (auto written = std::visit([&](const auto& one) { return answer_block(one); }, block))
        blocks.push_back(std::move(*written));
    // the service refuses an answer that ends in thinking; one that was cut there says nothing anyway
    while (!blocks.empty() && blocks.back().thinking)
      blocks.pop_back();
    auto& to = last(true).blocks;
    std::move(blocks.begin(), blocks.end(), std::back_inserter(to));
  }

  std::optional<wire_block> answer_block(const text_block& block) {
    const auto& text = content_of(block.text);
    return is_blank(text) ? std::nullopt : std::optional(text_of(text));
  }

  std::optional<wire_block> answer_block(const thinking_block& block) {
    if (!block.signature || block.signature->empty())
      return std::nullopt; // it can't be checked, so it would be refused
    json::writer out;
    if (block.redacted.value_or(false))
      out.begin_object().field("type", "redacted_thinking").field("data", *block.signature).end_object();
    else
      out.begin_object()
          .field("type", "thinking")
          .field("thinking", content_of(block.text))
          .field("signature", *block.signature)
          .end_object();
    return wire_block{out.take(), false, true};
  }

  std::optional<wire_block> answer_block(const tool_call_block& block) {
    json::writer out;
    out.begin_object()
        .field("type", "tool_use")
        .field("id", block.call_id)
        .field("name", block.name)
        .key("input");
    if (block.arguments)
      out.raw_text(block.arguments->text);
    else // the input must be an object, and the model should see what it wrote
      out.begin_object()
          .field("arguments_raw", block.arguments_raw ? content_of(*block.arguments_raw) : "")
          .end_object();
    out.end_object();
    return wire_block{out.take()};
  }

  std::optional<wire_block> answer_block(const server_tool_call_block& block) {
    return servers(block.body, "server_tool_use");
  }
  std::optional<wire_block> answer_block(const server_tool_result_block& block) {
    return servers(block.body, {});
  }

  // The provider's own type stands first in the body, as `provider_type` (see decode.cpp).
  std::optional<wire_block> servers(const json::raw& body, std::string_view type_default) {
    auto parsed = json::parse(body.text);
    if (!parsed || !parsed->is(json::kind::object))
      return std::nullopt;
    const auto* type = parsed->find("provider_type");
    auto name = type != nullptr ? std::string_view(type->as_string()) : type_default;
    if (name.empty())
      return std::nullopt;
    json::writer out;
    out.begin_object().field("type", name);
    for (const auto& [key, value] : parsed->members())
      if (key != "provider_type")
        out.key(key).raw_text(value.source());
    out.end_object();
    return wire_block{out.take(), false};
  }

  std::vector<wire_message> messages_;
  std::optional<problem> fault_;
};

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

// `off` says no thinking, the other efforts let the model decide how much; the service knows no `minimal`.
void write_effort(json::writer& out, const std::optional<std::string>& effort) {
  if (!effort)
    return;
  out.key("thinking").begin_object().field("type", *effort == "off" ? "disabled" : "adaptive").end_object();
  if (*effort != "off")
    out.key("output_config")
        .begin_object()
        .field("effort", *effort == "minimal" ? "low" : *effort)
        .end_object();
}

} // namespace

result<std::string> write_body(const inference_request& request) {
  conversation said;
  for (const auto& one : request.messages)
    one.role == "system" ? said.add_system(one) : said.add(one);
  auto messages = said.take();
  if (said.fault())
    return *said.fault();
  if (messages.empty())
    return problem{
        problem_code::invalid_input, "there is nothing to send: every message of the context is empty", {}};

  json::writer out;
  out.begin_object().field("model", request.model);
  out.key("max_tokens").number(request.max_output_tokens.value_or(max_tokens_default));
  out.key("stream").boolean(true);
  if (!is_blank(request.instructions)) {
    out.key("system").begin_array();
    auto block = text_of(request.instructions);
    write_blocks(out, {block}, true);
    out.end_array();
  }
  write_tools(out, request.tools);
  write_messages(out, messages);
  write_effort(out, request.effort);
  // a model that thinks takes no temperature but its own
  if (request.temperature && request.effort.value_or("off") == "off")
    out.key("temperature").number(*request.temperature);
  if (request.service_tier)
    out.field("service_tier", *request.service_tier);
  out.end_object();
  return out.take();
}

} // namespace troupe::providers::anthropic
