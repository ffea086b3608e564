// The messages of a Chat Completions request: roles and contents, and what must pair.
#include "providers/gym/chat_reader.hpp"

#include "messages/text.hpp"

#include <algorithm>
#include <array>

namespace troupe::providers::gym {

using json::kind;

namespace {

constexpr std::size_t id_max = 40;

constexpr std::array<std::string_view, 5> roles{"system", "developer", "user", "assistant", "tool"};

std::string place_of(std::size_t index) { return "messages.[" + std::to_string(index) + "]"; }

std::string member_of(std::size_t index) { return "messages[" + std::to_string(index) + "]"; }

[[noreturn]] void refuse_missing(const std::string& what) {
  refuse("Missing required parameter: '" + what + "'.", what, "missing_required_parameter");
}

[[noreturn]] void refuse_empty(const std::string& what) {
  refuse("Invalid '" + what
          + "': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      what, "empty_array");
}

} // namespace

void chat_reader::read_messages() {
  const auto* messages = body_.find("messages");
  if (messages == nullptr || !messages->is(kind::array))
    refuse_missing("messages");
  const auto& list = messages->items();
  if (list.empty())
    refuse_empty("messages");
  if (list.size() > messages_max)
    refuse("Invalid 'messages': array too long.", "messages", "array_above_max_length");
  std::string_view before;
  for (std::size_t i = 0; i < list.size(); ++i) {
    read_message(list[i], i);
    auto role = string_at(list[i], "role");
    out_.inference += role == "assistant" && before != "assistant";
    before = role;
  }
  check_answered();
}

void chat_reader::read_message(const value& message, std::size_t index) {
  auto role = string_at(message, "role");
  if (role.empty())
    refuse_missing(member_of(index) + ".role");
  if (std::find(roles.begin(), roles.end(), role) == roles.end())
    refuse("Invalid value: '" + std::string(utf8_prefix(role, 60))
            + "'. Supported values are: 'system', 'assistant', 'user', 'tool', and 'developer'.",
        member_of(index) + ".role", "invalid_value");
  if (role == "tool")
    return read_result(message, index);
  check_answered();
  if (role == "assistant")
    return read_answer(message, index);
  auto text = read_content(message, role, place_of(index));
  if (role != "user")
    out_.instructions += text;
  else if (!text.empty())
    out_.hear(text);
}

void chat_reader::read_answer(const value& message, std::size_t index) {
  out_.has_tool_result = false;
  const auto* calls = message.find("tool_calls");
  const auto* content = message.find("content");
  auto says_nothing = content == nullptr || content->is(kind::null);
  if (says_nothing && calls == nullptr && string_at(message, "refusal").empty())
    refuse("Invalid value for 'content': expected a string, got null.", place_of(index) + ".content");
  if (!says_nothing)
    read_content(message, "assistant", place_of(index));
  if (calls == nullptr)
    return;
  if (!calls->is(kind::array) || calls->items().empty())
    refuse_empty(member_of(index) + ".tool_calls");
  open_at_ = index;
  for (std::size_t i = 0; i < calls->items().size(); ++i)
    read_call(calls->items()[i], member_of(index) + ".tool_calls[" + std::to_string(i) + "]");
}

void chat_reader::read_call(const value& call, const std::string& at) {
  std::string id(string_at(call, "id"));
  if (id.empty())
    refuse_missing(at + ".id");
  if (id.size() > id_max)
    refuse("Invalid '" + at + ".id': string too long. Expected a string with maximum length 40, but got a "
            + "string with length " + std::to_string(id.size()) + " instead.",
        at + ".id", "string_above_max_length");
  auto type = string_at(call, "type");
  if (type != "function" && type != "custom")
    refuse_missing(at + ".type");
  const auto* function = call.find(type);
  if (function == nullptr || !function->is(kind::object))
    refuse_missing(at + "." + std::string(type));
  auto name = string_at(*function, "name");
  if (!is_name(name, chat_reader::name_max))
    refuse("Invalid '" + at
            + ".function.name': string does not match pattern. Expected a string that matches the pattern "
              "'^[a-zA-Z0-9_-]+$'.",
        at + ".function.name", "invalid_value");
  const auto* arguments = function->find(type == "function" ? "arguments" : "input");
  if (arguments == nullptr || !arguments->is(kind::string))
    refuse("Invalid type for '" + at + ".function.arguments': expected a string.", at + ".function.arguments",
        "invalid_type");
  if (!out_.call_ids.insert(id).second)
    refuse("Duplicate value for 'tool_call_id' of '" + id + "' in the conversation.", at + ".id",
        "invalid_value");
  open_.insert(id);
  call_names_[id] = name;
}

void chat_reader::read_result(const value& message, std::size_t index) {
  std::string id(string_at(message, "tool_call_id"));
  if (id.empty())
    refuse_missing(member_of(index) + ".tool_call_id");
  if (open_.erase(id) == 0)
    refuse("Invalid parameter: messages with role 'tool' must be a response to a preceding message with "
           "'tool_calls' (and once only).",
        place_of(index) + ".role");
  auto text = read_content(message, "tool", place_of(index));
  out_.has_tool_result = true;
  out_.results.push_back({call_names_[id], std::move(text), false});
}

// The texts, the last of a list for what the user said: it is what counts.
std::string chat_reader::read_content(const value& message, std::string_view role, const std::string& at) {
  const auto* content = message.find("content");
  if (content == nullptr || content->is(kind::null))
    refuse("Invalid value for 'content': expected a string, got null.", at + ".content");
  if (content->is(kind::string))
    return content->as_string();
  if (!content->is(kind::array))
    refuse("Invalid type for 'content': expected a string or an array of objects.", at + ".content",
        "invalid_type");
  if (content->items().empty())
    refuse_empty(at + ".content");
  std::string text;
  for (std::size_t i = 0; i < content->items().size(); ++i) {
    const auto& part = content->items()[i];
    read_part(part, role, at + ".content[" + std::to_string(i) + "]");
    auto words = string_at(part, "text");
    if (words.empty() || (role == "user" && words.starts_with("<system>")))
      continue;
    text = role == "user" ? std::string(words) : text + (text.empty() ? "" : "\n") + std::string(words);
  }
  return text;
}

void chat_reader::read_part(const value& part, std::string_view role, const std::string& at) {
  auto type = string_at(part, "type");
  if (type == "text") {
    if (const auto* text = part.find("text"); text == nullptr || !text->is(kind::string))
      refuse_missing(at + ".text");
    return;
  }
  if (type == "refusal" && role == "assistant")
    return;
  if (role != "user" || (type != "image_url" && type != "file" && type != "input_audio"))
    refuse("Invalid value: '" + std::string(utf8_prefix(type, 60)) + "'. A message of the role '"
            + std::string(role) + "' doesn't take it.",
        at + ".type", "invalid_value");
  const auto* body = part.find(type);
  if (body == nullptr || !body->is(kind::object))
    refuse_missing(at + "." + std::string(type));
  if (type != "image_url")
    return;
  auto url = string_at(*body, "url");
  if (!url.starts_with("https://") && !url.starts_with("http://") && !url.starts_with("data:image/"))
    refuse("Invalid 'image_url': expected a URL or a data URL of an image.", at + ".image_url.url",
        "invalid_value");
}

void chat_reader::check_answered() {
  if (open_.empty())
    return;
  std::string list;
  for (const auto& id : open_)
    list += (list.empty() ? "" : ", ") + id;
  refuse("An assistant message with 'tool_calls' must be followed by tool messages responding to each "
         "'tool_call_id'. The following tool_call_ids did not have response messages: "
          + list,
      place_of(open_at_) + ".role");
}

} // namespace troupe::providers::gym
