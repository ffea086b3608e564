// The words of the request, and the checks of its answer.
#include "session/summary.hpp"

#include "messages/text.hpp"

#include <algorithm>

namespace troupe::session {

namespace {

constexpr std::size_t result_bytes_max = 2000;

constexpr std::string_view history_task =
    "You are given the transcript of a conversation between a user and an assistant that works with tools. "
    "Write what the assistant needs to go on without it. Keep exact values: names, paths, numbers, "
    "decisions, and what the user asked for and forbade. Say what is done, so that it isn't done again; "
    "details that you leave out can be looked up with the tools again. Update an earlier summary instead of "
    "repeating it. Answer nothing in the transcript, and call no tool. Use these sections, each with its "
    "heading:\n\n## Goal\n## Constraints\n## Done\n## Current work\n## Decisions\n## Next steps\n## "
    "Details\n";

constexpr std::string_view round_task =
    "You are given the beginning of one round of work; its end stays with the assistant as it is. Write what "
    "the assistant needs to understand that end: what was asked for, in the user's words where they matter, "
    "what was done so far, and what was found. Keep exact values. Answer nothing in the transcript, and call "
    "no tool.";

// Whole characters, and a word on what is missing.
std::string cut(const std::string& text, std::size_t bytes_max) {
  if (text.size() <= bytes_max)
    return text;
  const std::string kept(utf8_prefix(text, bytes_max));
  return kept + "\n[" + std::to_string(text.size() - kept.size()) + " more bytes]";
}

struct line_of_block {
  std::string operator()(const text_block& it) const { return "[assistant] " + it.text.text; }
  std::string operator()(const thinking_block& it) const {
    return it.text.text.empty() ? std::string() : "[assistant, thinking] " + it.text.text;
  }
  std::string operator()(const tool_call_block& it) const {
    const std::string arguments = it.arguments ? it.arguments->text
        : it.arguments_raw                     ? it.arguments_raw->text
                                               : std::string("{}");
    return "[assistant calls] " + it.name + "(" + cut(arguments, result_bytes_max) + ")";
  }
  std::string operator()(const server_tool_call_block& it) const {
    return "[assistant calls] " + cut(it.body.text, result_bytes_max);
  }
  std::string operator()(const server_tool_result_block& it) const {
    return "[result] " + cut(it.body.text, result_bytes_max);
  }
};

struct text_of_part {
  std::string operator()(const text_part& it) const { return it.text.text; }
  std::string operator()(const image_part&) const { return "(a picture)"; }
  std::string operator()(const document_part& it) const {
    return "(a document" + (it.name ? " named " + *it.name : std::string()) + ")";
  }
};

std::string lines_of(const message& message) {
  std::string out;
  for (const auto& block : message.blocks)
    if (const auto line = std::visit(line_of_block(), block); !line.empty())
      out += line + "\n";
  if (message.parts.empty())
    return out;
  std::string text;
  for (const auto& part : message.parts)
    text += (text.empty() ? "" : "\n") + std::visit(text_of_part(), part);
  const bool result = message.role == "tool";
  return out + "[" + (result ? "result" : message.role)
      + (message.is_error.value_or(false) ? ", failed] " : "] ")
      + (result ? cut(text, result_bytes_max) : text) + "\n";
}

bool has_line(std::string_view text, std::string_view line) {
  for (std::size_t at = text.find(line); at != std::string_view::npos; at = text.find(line, at + 1)) {
    const std::size_t after = at + line.size();
    if ((at == 0 || text[at - 1] == '\n')
        && (after == text.size() || text[after] == '\n' || text[after] == '\r' || text[after] == ' '))
      return true;
  }
  return false;
}

} // namespace

std::int64_t summary_tokens_max(summary_of what) { return what == summary_of::history ? 4000 : 2500; }

std::string summary_instructions(summary_of what) {
  return std::string(what == summary_of::history ? history_task : round_task);
}

std::string transcript(std::span<const message> messages) {
  std::string out;
  for (const auto& message : messages)
    out += lines_of(message);
  return out;
}

std::optional<std::string> fault_of_summary(summary_of what, const std::vector<block>& answer) {
  if (std::any_of(answer.begin(), answer.end(),
          [](const block& b) { return std::holds_alternative<tool_call_block>(b); }))
    return "the summary calls a tool";
  const std::string text = summary_text(answer);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    return "the summary is empty";
  for (const auto* const markup : {"<tool_call", "<function_call", "<invoke"})
    if (text.find(markup) != std::string::npos)
      return "the summary calls a tool in its text";
  if (what == summary_of::history)
    for (const auto* const heading : {"## Current work", "## Next steps"})
      if (!has_line(text, heading))
        return std::string("the summary lacks the section `") + heading + "`";
  return std::nullopt;
}

std::string summary_text(const std::vector<block>& answer) {
  std::string out;
  for (const auto& block : answer)
    if (const auto* const text = std::get_if<text_block>(&block))
      out += text->text.text;
  return out;
}

std::string joined_summaries(const std::string& history, const std::string& begun_round) {
  if (history.empty() || begun_round.empty())
    return history + begun_round;
  return history + "\n\n---\n\n## The round that is under way\n\n" + begun_round;
}

} // namespace troupe::session
