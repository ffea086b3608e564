// Words to wishes: each clause asks for one thing at most, and quoted text, paths and numbers in it
// become the arguments.
#include "providers/gym/wishes.hpp"

#include "providers/gym/arguments.hpp"

#include <algorithm>
#include <array>

namespace troupe::providers::gym {

namespace {

constexpr std::size_t wishes_max = 8;

trade trade_of(std::string_view tool_name) {
  auto name = lower(tool_name);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !is_word(c); }, ' ');
  if (has_any(name, {"shell", "bash", "sh", "exec", "execute", "command", "terminal"}))
    return trade::shell;
  if (has_any(name, {"edit", "replace", "patch"}))
    return trade::edit;
  if (has_any(name, {"write", "create"}) && !has_any(name, {"dir", "directory"}))
    return trade::write;
  if (has_any(name, {"list", "ls", "dir"}))
    return trade::list;
  if (has_any(name, {"search", "grep", "find"}))
    return trade::search;
  if (has_any(name, {"read", "cat", "view", "open"}))
    return trade::read;
  return trade::none;
}

trade trade_asked(const clause& said) {
  const auto& text = said.lowered;
  auto path = !said.paths.empty();
  if (path && has_any(text, {"replace", "edit", "change", "substitute"}) && said.quoted.size() >= 2)
    return trade::edit;
  if (path && has_any(text, {"write", "create", "save", "put"}))
    return trade::write;
  if (has_any(text, {"run", "execute", "shell"}))
    return trade::shell;
  if (has_any(text, {"search", "grep", "look"}) && !said.quoted.empty())
    return trade::search;
  if (has_any(text, {"list", "ls"}) || has_any(text, {"which files", "what files"}))
    return trade::list;
  if (path
      && has_any(text,
          {"read", "show", "open", "cat", "print", "display", "contents", "content", "what is in",
              "what's in", "summarize", "summarise", "look", "says", "say"}))
    return trade::read;
  return trade::none;
}

// A tool is asked for by its name, or by all the words of its name that mean something.
bool names_tool(const clause& said, const seen_tool& tool) {
  auto name = lower(tool.name);
  if (has_word(said.lowered, name)
      || std::find(said.quoted.begin(), said.quoted.end(), tool.name) != said.quoted.end())
    return true;
  constexpr std::array<std::string_view, 4> signs{"+", "-", "*", "/"};
  const std::array<words, 4> operations{words{"add", "sum", "plus"}, words{"subtract", "minus"},
      words{"multiply", "times", "product"}, words{"divide"}};
  for (std::size_t i = 0; i < signs.size(); ++i)
    if (said.numbers.size() >= 2 && said.lowered.find(" " + std::string(signs[i]) + " ") != std::string::npos
        && has_any(name, operations[i]))
      return true;
  static const words filling{"get", "set", "do", "the", "a", "tool", "fetch", "current", "of", "to", "make"};
  std::size_t meant = 0, heard = 0;
  for (std::size_t at = 0; at < name.size();) {
    auto end = std::min(name.find_first_of("_-", at), name.size());
    auto word = std::string_view(name).substr(at, end - at);
    at = end + 1;
    if (word.empty() || std::find(filling.begin(), filling.end(), word) != filling.end())
      continue;
    ++meant;
    heard += has_word(said.lowered, word);
  }
  return meant > 0 && meant == heard;
}

const seen_tool* tool_for(const clause& said, const std::vector<seen_tool>& tools, trade& kind) {
  for (const auto& tool : tools)
    if (has_word(said.lowered, lower(tool.name))) {
      kind = trade_of(tool.name);
      return &tool;
    }
  auto asked = trade_asked(said);
  if (asked != trade::none)
    for (const auto& tool : tools)
      if (trade_of(tool.name) == asked) {
        kind = asked;
        return &tool;
      }
  kind = trade::none;
  for (const auto& tool : tools)
    if (names_tool(said, tool))
      return &tool;
  return nullptr;
}

} // namespace

std::vector<wish> find_wishes(std::string_view text, const std::vector<seen_tool>& tools) {
  std::vector<wish> found;
  for (const auto& said : clauses_of(text)) {
    auto kind = trade::none;
    const auto* tool = tool_for(said, tools, kind);
    if (tool != nullptr && found.size() < wishes_max)
      found.push_back({tool->name, arguments_for(*tool, said, kind)});
  }
  return found;
}

} // namespace troupe::providers::gym
