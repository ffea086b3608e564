// Messages and their blocks written one by one; what can't be replayed is left out.
#include "providers/anthropic/wire_messages.hpp"

#include <algorithm>
#include <iterator>

namespace troupe::providers::anthropic {

namespace {
constexpr std::size_t name_bytes_max = 128; // the service takes no longer names
} // namespace

wire_block text_of(std::string_view text) {
  json::writer out;
  out.begin_object().field("type", "text").field("text", text).end_object();
  return {out.take()};
}

void conversation::add(const message& said) {
  if (said.role == "assistant")
    return add_answer(said);
  if (said.role == "tool")
    return add_result(said);
  if (said.role == "system")
    return add_system(said);
  for (auto& block : parts(said.parts))
    last(false).blocks.push_back(std::move(block));
}

void conversation::add_system(const message& said) {
  if (auto text = texts_.as_system_text(said.parts); !text.empty())
    last(false).blocks.push_back(text_of(text));
}

std::vector<wire_message> conversation::take() {
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

wire_message& conversation::last(bool assistant) {
  if (messages_.empty() || messages_.back().assistant != assistant)
    messages_.push_back({assistant, {}, {}});
  return messages_.back();
}

std::vector<wire_block> conversation::parts(const std::vector<content_part>& content) {
  std::vector<wire_block> blocks;
  for (const auto& part : content) {
    if (const auto* words = std::get_if<text_part>(&part)) {
      if (const auto& text = texts_.content_of(words->text); !is_blank(text))
        blocks.push_back(text_of(text));
    } else if (const auto* image = std::get_if<image_part>(&part)) {
      blocks.push_back({media("image", image->media_type, image->data, image->url, std::nullopt)});
    } else {
      const auto& document = std::get<document_part>(part);
      blocks.push_back({media("document", document.media_type, document.data, document.url, document.name)});
    }
  }
  return blocks;
}

std::string conversation::media(std::string_view type, const std::optional<std::string>& media_type,
    const std::optional<large_text>& data, const std::optional<std::string>& url,
    const std::optional<std::string>& name) {
  json::writer out;
  out.begin_object().field("type", type).key("source").begin_object();
  if (data) {
    out.field("type", "base64")
        .field("media_type", media_type.value_or(type == "image" ? "image/png" : "application/pdf"));
    out.field("data", texts_.content_of(*data));
  } else {
    out.field("type", "url").field("url", url.value_or(""));
  }
  out.end_object();
  if (name)
    out.field("title", *name);
  out.end_object();
  return out.take();
}

void conversation::add_result(const message& said) {
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

void conversation::add_answer(const message& said) {
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

std::optional<wire_block> conversation::answer_block(const text_block& block) {
  const auto& text = texts_.content_of(block.text);
  return is_blank(text) ? std::nullopt : std::optional(text_of(text));
}

std::optional<wire_block> conversation::answer_block(const thinking_block& block) {
  if (!block.signature || block.signature->empty())
    return std::nullopt; // it can't be checked, so it would be refused
  json::writer out;
  if (block.redacted.value_or(false))
    out.begin_object().field("type", "redacted_thinking").field("data", *block.signature).end_object();
  else
    out.begin_object()
        .field("type", "thinking")
        .field("thinking", texts_.content_of(block.text))
        .field("signature", *block.signature)
        .end_object();
  return wire_block{out.take(), false, true};
}

std::optional<wire_block> conversation::answer_block(const tool_call_block& block) {
  json::writer out;
  out.begin_object()
      .field("type", "tool_use")
      .field("id", block.call_id)
      .field("name", lawful_name(block.name, name_bytes_max))
      .key("input");
  if (block.arguments)
    out.raw_text(block.arguments->text);
  else // the input must be an object, and the model should see what it wrote
    out.begin_object()
        .field("arguments_raw", block.arguments_raw ? texts_.content_of(*block.arguments_raw) : "")
        .end_object();
  out.end_object();
  return wire_block{out.take()};
}

std::optional<wire_block> conversation::answer_block(const server_tool_call_block& block) {
  return servers(block.body, "server_tool_use");
}
std::optional<wire_block> conversation::answer_block(const server_tool_result_block& block) {
  return servers(block.body, {});
}

// The provider's own type stands first in the body, as `provider_type` (see decode_blocks.cpp).
std::optional<wire_block> conversation::servers(const json::raw& body, std::string_view type_default) {
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

} // namespace troupe::providers::anthropic
