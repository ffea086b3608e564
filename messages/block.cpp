// From the argument text that a model wrote to the block that is kept.
#include "messages/block.hpp"

#include "messages/text.hpp"

namespace troupe {

tool_call_block make_tool_call(std::string call_id, std::string name, std::string_view argument_text) {
  tool_call_block call{to_utf8(call_id), to_utf8(name), std::nullopt, std::nullopt};
  if (argument_text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    call.arguments = json::raw{"{}"};
    return call;
  }
  auto compacted = json::compact(argument_text);
  if (compacted && compacted->type == json::kind::object && !compacted->double_keys
      && !compacted->inexact_numbers)
    call.arguments = std::move(compacted->text);
  else
    call.arguments_raw = large_text(to_utf8(argument_text));
  return call;
}

} // namespace troupe
