// The messages of a request: roles and blocks first, then what must pair.
#include "providers/gym/messages_reader.hpp"

#include "messages/text.hpp"
#include "providers/context_text.hpp"

#include <algorithm>

namespace troupe::providers::gym {

using json::kind;

namespace {} // namespace

void messages_reader::read_messages() {
  const auto* messages = body_.find("messages");
  if (messages == nullptr || !messages->is(kind::array))
    refuse("messages: Field required");
  const auto& list = messages->items();
  if (list.empty())
    refuse("messages: at least one message is required");
  if (list.size() > messages_max)
    refuse("messages: at most 100000 messages are allowed");
  std::vector<merged> said;
  for (std::size_t i = 0; i < list.size(); ++i)
    read_message(list[i], i, i + 1 == list.size(), said);
  check_pairs(said);
  for (const auto& one : said)
    out_.inference += one.role == "assistant";
  for (const auto& [at, block] : said.back().blocks)
    out_.has_tool_result = out_.has_tool_result || string_at(*block, "type") == "tool_result";
}

void messages_reader::read_message(
    const value& message, std::size_t index, bool last, std::vector<merged>& said) {
  auto at = "messages." + std::to_string(index);
  auto role = string_at(message, "role");
  if (role != "user" && role != "assistant" && (role != "system" || index == 0))
    refuse(at + ".role: Input should be 'user' or 'assistant'");
  if (index == 0 && role != "user")
    refuse("messages: first message must use the \"user\" role");
  const auto* content = message.find("content");
  if (content == nullptr)
    refuse(at + ".content: Field required");
  if (said.empty() || said.back().role != role)
    said.push_back({std::string(role), {}});
  auto may_be_empty = last && role == "assistant";
  if (content->is(kind::string)) {
    if (content->as_string().empty() && !may_be_empty)
      refuse(
          at + ": all messages must have non-empty content except for the optional final assistant message");
    if (role == "user")
      out_.hear(content->as_string());
    return;
  }
  if (!content->is(kind::array))
    refuse(at + ".content: Input should be a valid string or list");
  if (content->items().empty() && !may_be_empty)
    refuse(at + ": all messages must have non-empty content except for the optional final assistant message");
  for (std::size_t i = 0; i < content->items().size(); ++i) {
    auto place = at + ".content." + std::to_string(i);
    const auto& block = content->items()[i];
    count_mark(block);
    read_block(block, place, role == "assistant");
    said.back().blocks.emplace_back(place, &block);
  }
  if (role == "assistant" && !content->items().empty()) {
    auto type = string_at(content->items().back(), "type");
    if (type == "thinking" || type == "redacted_thinking")
      refuse(at + ": The final block in an assistant message cannot be `thinking`.");
  }
}

void messages_reader::read_block(const value& block, const std::string& at, bool assistant) {
  auto type = string_at(block, "type");
  if (type == "text") {
    auto text = string_at(block, "text");
    if (text.empty())
      refuse("messages: text content blocks must be non-empty");
    if (is_blank(text))
      refuse("messages: text content blocks must contain non-whitespace text");
    if (!assistant)
      out_.hear(text);
  } else if (type == "tool_use") {
    if (!assistant)
      refuse(at + ": `tool_use` blocks can only be in `assistant` messages");
    read_call(block, at);
  } else if (type == "tool_result") {
    if (assistant)
      refuse(at + ": `tool_result` blocks can only be in `user` messages");
    read_result(block, at);
  } else if (type == "thinking") {
    if (!assistant || string_at(block, "signature").empty())
      refuse(at + ".thinking.signature: Field required");
  } else if (type == "redacted_thinking") {
    if (!assistant || string_at(block, "data").empty())
      refuse(at + ".redacted_thinking.data: Field required");
  } else if (type == "image" || type == "document") {
    if (assistant)
      refuse(at + ": `" + std::string(type) + "` blocks can only be in `user` messages");
    read_source(block, at);
  } else if (type.empty()) {
    refuse(at + ".type: Field required");
  } else if (!assistant && type != "search_result" && type != "container_upload") {
    refuse(at + ": Input tag '" + std::string(utf8_prefix(type, 60))
        + "' found using 'type' does not match any of the expected tags");
  }
}

void messages_reader::read_source(const value& block, const std::string& at) {
  const auto* source = block.find("source");
  if (source == nullptr)
    refuse(at + ".source: Field required");
  auto type = string_at(*source, "type");
  if (type == "base64" && (string_at(*source, "data").empty() || string_at(*source, "media_type").empty()))
    refuse(at + ".source.base64: media_type and data are required");
  if (type == "url" && string_at(*source, "url").empty())
    refuse(at + ".source.url.url: Field required");
  if (type != "base64" && type != "url" && type != "file" && type != "text" && type != "content")
    refuse(at + ".source: Input tag does not match any of the expected tags");
}

void messages_reader::read_call(const value& block, const std::string& at) {
  std::string id(string_at(block, "id"));
  if (!is_name(id, 256))
    refuse(at + ".tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'");
  if (!is_name(string_at(block, "name"), 200))
    refuse(at + ".tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,200}$'");
  if (const auto* input = block.find("input"); input == nullptr || !input->is(kind::object))
    refuse(at + ".tool_use.input: Input should be a valid dictionary");
  if (!out_.call_ids.insert(id).second)
    refuse(at + ": `tool_use` ids must be unique");
  call_names_[id] = string_at(block, "name");
}

void messages_reader::read_result(const value& block, const std::string& at) {
  std::string id(string_at(block, "tool_use_id"));
  if (id.empty())
    refuse(at + ".tool_result.tool_use_id: Field required");
  seen_result result{call_names_[id], {}, false};
  if (const auto* failed = block.find("is_error"))
    result.is_error = failed->as_bool();
  if (const auto* content = block.find("content")) {
    if (!content->is(kind::string) && !content->is(kind::array))
      refuse(at + ".tool_result.content: Input should be a valid string or list");
    result.text = content->as_string();
    for (const auto& part : content->items()) {
      auto type = string_at(part, "type");
      if (type == "text" && string_at(part, "text").empty())
        refuse("messages: text content blocks must be non-empty");
      if (type == "image" || type == "document")
        read_source(part, at + ".tool_result.content");
      result.text += (result.text.empty() ? "" : "\n") + std::string(string_at(part, "text"));
    }
  }
  out_.results.push_back(std::move(result));
}

void messages_reader::check_pairs(const std::vector<merged>& said) {
  std::set<std::string_view> asked;
  for (std::size_t i = 0; i < said.size(); ++i) {
    check_results(said[i], asked);
    asked.clear();
    for (const auto& [at, block] : said[i].blocks)
      if (string_at(*block, "type") == "tool_use")
        asked.insert(string_at(*block, "id"));
    if (i + 1 == said.size() && !asked.empty())
      refuse_unanswered(said[i].blocks.front().first, asked);
  }
}

void messages_reader::check_results(const merged& message, const std::set<std::string_view>& asked) {
  std::set<std::string_view> answered;
  bool others = false;
  for (const auto& [at, block] : message.blocks) {
    if (string_at(*block, "type") != "tool_result") {
      others = true;
      continue;
    }
    auto id = string_at(*block, "tool_use_id");
    if (asked.count(id) == 0)
      refuse(at
          + ": unexpected `tool_use_id` found in `tool_result` blocks: " + std::string(utf8_prefix(id, 100))
          + ". Each `tool_result` block must have a corresponding `tool_use` block in the previous "
            "message.");
    if (!answered.insert(id).second)
      refuse(at + ": each tool_use must have a single result. Found multiple `tool_result` blocks with id: "
          + std::string(id));
    if (others)
      refuse(at + ": `tool_result` blocks must come before any other block of the message");
  }
  std::set<std::string_view> open;
  std::set_difference(
      asked.begin(), asked.end(), answered.begin(), answered.end(), std::inserter(open, open.end()));
  if (!open.empty())
    refuse_unanswered(message.blocks.empty() ? "messages" : message.blocks.front().first, open);
}

void messages_reader::refuse_unanswered(const std::string& at, const std::set<std::string_view>& ids) {
  std::string list;
  for (auto id : ids)
    list += (list.empty() ? "" : ", ") + std::string(id);
  refuse(at.substr(0, at.find(".content"))
      + ": `tool_use` ids were found without `tool_result` blocks immediately after: " + list
      + ". Each `tool_use` block must have a corresponding `tool_result` block in the next message.");
}

} // namespace troupe::providers::gym
