// The table of commands.
#include "cli/slash.hpp"

#include "messages/text.hpp"

#include <algorithm>

namespace troupe::cli {

namespace {

struct slash_command {
  std::string_view name;
  said::kind what;
  std::string_view argument; ///< empty: none
  std::string_view help;
};

constexpr slash_command commands[] = {
    {"steer", said::kind::steer, "TEXT",
        "a message that the run takes in as soon as it can, even amid its work"},
    {"model", said::kind::model, "NAME", "the model from the next message on; without NAME: which one it is"},
    {"abort", said::kind::abort, "", "stops what runs"},
    {"compact", said::kind::compact, "", "makes the context smaller"},
    {"quit", said::kind::quit, "", "leaves; so does Ctrl-D"},
    {"help", said::kind::help, "", "this"},
};

std::string_view trimmed(std::string_view text) {
  const auto begin = std::min(text.find_first_not_of(" \t"), text.size());
  const auto end = text.find_last_not_of(" \t") + 1;
  return begin >= text.size() ? std::string_view() : text.substr(begin, end - begin);
}

said unknown(const std::string& name) {
  std::string_view names[std::size(commands)];
  std::transform(std::begin(commands), std::end(commands), names, [](const auto& one) { return one.name; });
  const std::string near = nearest_name(name, std::begin(names), std::end(names));
  return {said::kind::unknown,
      "unknown command `/" + name + "`" + (near.empty() ? "" : "; did you mean `/" + near + "`?")
          + " /help lists them; // begins a message with a slash"};
}

} // namespace

said understand(std::string_view line) {
  const auto text = trimmed(line);
  if (text.empty())
    return {};
  if (!text.starts_with('/'))
    return {said::kind::message, std::string(line)};
  if (text.starts_with("//"))
    return {said::kind::message, std::string(text.substr(1))};
  const std::string name(text.substr(1, text.find_first_of(" \t") - 1));
  const std::string rest(trimmed(text.substr(std::min(name.size() + 1, text.size()))));
  for (const auto& one : commands) {
    if (one.name != name)
      continue;
    if (one.argument.empty() && !rest.empty())
      return {said::kind::unknown, "/" + name + " takes nothing behind it"};
    if (one.what == said::kind::steer && rest.empty())
      return {said::kind::unknown, "/steer wants a TEXT"};
    return {one.what, rest};
  }
  return unknown(name);
}

std::string slash_help() {
  std::string out;
  for (const auto& one : commands) {
    std::string usage =
        "/" + std::string(one.name) + (one.argument.empty() ? "" : " ") + std::string(one.argument);
    usage.resize(std::max<std::size_t>(usage.size(), 13), ' ');
    out += "  " + usage + " " + std::string(one.help) + "\n";
  }
  return out;
}

} // namespace troupe::cli
