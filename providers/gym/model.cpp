// The small model's answers: a call, a report of results, or words.
#include "providers/gym/model.hpp"

#include "messages/text.hpp"
#include "providers/gym/wishes.hpp"

#include <algorithm>

namespace troupe::providers::gym {

namespace {

constexpr std::size_t shown_bytes_max = 1500;

std::string shown(std::string_view text) {
  if (text.size() <= shown_bytes_max)
    return std::string(text);
  return std::string(utf8_prefix(text, shown_bytes_max)) + "…";
}

bool asks_for_abilities(std::string_view text) {
  std::string lowered(text);
  std::transform(lowered.begin(), lowered.end(), lowered.begin(),
      [](unsigned char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); });
  for (std::string_view asked :
      {"what can you do", "which tools", "what tools", "who are you", "help me understand what you"})
    if (lowered.find(asked) != std::string::npos)
      return true;
  return lowered == "help" || lowered == "help!";
}

std::string abilities(const conversation& heard) {
  std::string text =
      "I am the gym's small model: I follow fixed rules, so that Troupe can be tried without any API key. ";
  if (heard.tools.empty())
    return text + "No tools are offered to me here, so all I can do is answer in words.";
  text += "I can use these tools when you ask for what they do:";
  for (const auto& tool : heard.tools)
    text += "\n- " + tool.name
        + (tool.description.empty() ? ""
                                    : ": " + shown(tool.description.substr(0, tool.description.find('\n'))));
  return text;
}

std::string report(const std::vector<seen_result>& results) {
  std::string text;
  for (const auto& one : results) {
    auto name = one.tool.empty() ? std::string("The tool") : one.tool;
    text += text.empty() ? "" : "\n\n";
    if (one.is_error)
      text += name + " failed: " + (one.text.empty() ? "it gave no reason." : shown(one.text));
    else
      text += one.text.empty() ? name + " is done; it had nothing to say."
                               : "Here is what " + name + " gave:\n\n" + shown(one.text);
  }
  return text;
}

// Asked for sections, it writes them: enough for a summary, of which it understands nothing.
std::string under_headings(std::string_view instructions, std::string_view text) {
  std::string out;
  for (std::size_t at = instructions.find("\n## "); at != std::string_view::npos;
       at = instructions.find("\n## ", at + 1)) {
    const auto end = std::min(instructions.find('\n', at + 1), instructions.size());
    out +=
        std::string(out.empty() ? "" : "\n") + std::string(instructions.substr(at + 1, end - at - 1)) + "\n";
    if (instructions.substr(at + 1, end - at - 1) == "## Current work")
      out += "So far: “" + shown(text) + "”.\n";
  }
  return out;
}

} // namespace

std::vector<step> improvise(const conversation& heard) {
  if (heard.compacts)
    return {say{"So far: “" + shown(heard.last_user_text) + "”."}};
  if (heard.instructions.find("\n## ") != std::string::npos && heard.tools.empty())
    return {say{under_headings(heard.instructions, heard.last_user_text)}};
  auto wishes = find_wishes(heard.last_user_text, heard.tools);
  auto done = heard.results.size();
  auto failed =
      std::any_of(heard.results.begin(), heard.results.end(), [](const auto& one) { return one.is_error; });
  if (done < wishes.size() && !failed) {
    auto& next = wishes[done];
    std::string announcement =
        done == 0 ? "I'll use " + next.tool + " for that." : "Next I'll use " + next.tool + ".";
    return {say{announcement}, call_tool{next.tool, next.arguments, {}}};
  }
  if (done > 0)
    return {say{report(heard.results)}};
  if (heard.last_user_text.empty() || asks_for_abilities(heard.last_user_text))
    return {say{abilities(heard)}};
  return {say{"You said: “" + shown(heard.last_user_text)
      + "”. I am the gym's small model and know no more about it; ask me what I can do."}};
}

} // namespace troupe::providers::gym
