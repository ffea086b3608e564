// Blocks of a model's answer.
#pragma once

#include "messages/content.hpp"

namespace troupe {

struct text_block {
  large_text text;
  bool operator==(const text_block&) const = default;
};

struct thinking_block {
  large_text text;
  std::optional<std::string> signature;
  std::optional<bool> redacted;
  bool operator==(const thinking_block&) const = default;
};

/// A call of a tool as the model wrote it. Exactly one of `arguments` (a JSON object without double
/// keys and with exact numbers) and `arguments_raw` (whatever else it was) is there.
struct tool_call_block {
  std::string call_id;
  std::string name;
  std::optional<json::raw> arguments;
  std::optional<large_text> arguments_raw;
  bool operator==(const tool_call_block&) const = default;
};

/// What the provider ran itself, in the provider's own form (an object without its `type`).
struct server_tool_call_block {
  json::raw body;
  bool operator==(const server_tool_call_block&) const = default;
};
struct server_tool_result_block {
  json::raw body;
  bool operator==(const server_tool_result_block&) const = default;
};

BOOST_DESCRIBE_STRUCT(text_block, (), (text))
BOOST_DESCRIBE_STRUCT(thinking_block, (), (text, signature, redacted))
BOOST_DESCRIBE_STRUCT(tool_call_block, (), (call_id, name, arguments, arguments_raw))
BOOST_DESCRIBE_STRUCT(server_tool_call_block, (), (body))
BOOST_DESCRIBE_STRUCT(server_tool_result_block, (), (body))

using block = std::variant<text_block, thinking_block, tool_call_block, server_tool_call_block,
    server_tool_result_block>;

/// The call block of a finished argument text: the value where it is a lawful object, blank is `{}`,
/// anything else stays as text.
tool_call_block make_tool_call(std::string call_id, std::string name, std::string_view argument_text);

} // namespace troupe
