// Passages: how often one occurs, the endings of its lines, and a hint where it is nearly there.
#include "tools/workspace/edit.hpp"

#include <algorithm>
#include <vector>

namespace troupe::tools {

namespace {

std::size_t occurrences(std::string_view text, std::string_view passage) {
  std::size_t count = 0;
  for (std::size_t at = text.find(passage); at != std::string_view::npos; at = text.find(passage, at + 1))
    ++count;
  return count;
}

std::size_t line_of(std::string_view text, std::size_t at) {
  return 1
      + static_cast<std::size_t>(
          std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

/// Every lone LF becomes CRLF.
std::string with_crlf(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n' && (i == 0 || text[i - 1] != '\r'))
      out += '\r';
    out += text[i];
  }
  return out;
}

bool ends_lines_with_crlf(std::string_view text) {
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  return lines > 0 && occurrences(text, "\r\n") == lines;
}

/// The text without white space, and the place of each character that is left.
struct squeezed {
  std::string text;
  std::vector<std::size_t> places;
  explicit squeezed(std::string_view from) {
    for (std::size_t i = 0; i < from.size(); ++i)
      if (from[i] != ' ' && from[i] != '\t' && from[i] != '\r' && from[i] != '\n') {
        text += from[i];
        places.push_back(i);
      }
  }
};

std::string why_not_found(std::string_view text, std::string_view old_text) {
  std::string out = "old_text was not found.";
  const squeezed passage(old_text);
  if (passage.text.empty() || text.size() > 1024 * 1024)
    return out;
  const squeezed all(text);
  if (const std::size_t at = all.text.find(passage.text); at != std::string::npos)
    out += " A passage at line " + std::to_string(line_of(text, all.places[at]))
        + " differs from it only in white space.";
  return out;
}

} // namespace

edited_text replace_passage(
    std::string_view text, std::string_view old_text, std::string_view new_text, bool all) {
  edited_text out;
  std::string old_passage(old_text);
  std::string new_passage(new_text);
  if (ends_lines_with_crlf(text)) {
    old_passage = with_crlf(old_text);
    new_passage = with_crlf(new_text);
  }
  if (old_passage.empty())
    out.why_not = "old_text is empty; name a passage, or use write_file.";
  else if (old_passage == new_passage)
    out.why_not = "old_text and new_text are the same.";
  if (!out.why_not.empty())
    return out;
  const std::size_t found = occurrences(text, old_passage);
  if (found == 0)
    out.why_not = why_not_found(text, old_passage);
  else if (found > 1 && !all)
    out.why_not = "old_text was found " + std::to_string(found)
        + " times; it must occur once. Give more of what is around it, or set replace_all.";
  if (!out.why_not.empty())
    return out;
  std::size_t at = 0;
  for (std::size_t next = text.find(old_passage); next != std::string_view::npos;
       next = text.find(old_passage, at)) {
    if (out.count++ == 0)
      out.first_line = line_of(text, next);
    out.text += text.substr(at, next - at);
    out.text += new_passage;
    at = next + old_passage.size();
  }
  out.text += text.substr(at);
  return out;
}

} // namespace troupe::tools
