// What is big goes by reference; content is shown as a list of parts.
#include "messages/content.hpp"

namespace troupe {

large_text::large_text(std::string content) : text(std::move(content)) {
  if (text.size() > inline_bytes_max)
    ref = blob_ref{content_name(text), text.size()};
}

large_text large_text::reference(blob_ref named) {
  large_text out;
  out.ref = std::move(named);
  out.loaded = false;
  return out;
}

bool large_text::operator==(const large_text& other) const {
  return ref == other.ref && (ref.has_value() || text == other.text);
}

referenced_text::referenced_text(std::string text) {
  content.ref = blob_ref{content_name(text), text.size()};
  content.text = std::move(text);
}

std::vector<content_part> parts_of(const content& value) {
  if (const auto* const text = std::get_if<large_text>(&value.value))
    return {text_part{*text}};
  return std::get<std::vector<content_part>>(value.value);
}

bool is_blank(const content& value) {
  for (const auto& part : parts_of(value)) {
    const auto* const text = std::get_if<text_part>(&part);
    if (!text || text->text.text.find_first_not_of(" \t\r\n") != std::string::npos)
      return false;
  }
  return true;
}

std::string plain_text(const content& value) {
  std::string out;
  for (const auto& part : parts_of(value)) {
    const auto* const text = std::get_if<text_part>(&part);
    if (!text)
      continue;
    if (!out.empty())
      out.push_back('\n');
    out += text->text.text;
  }
  return out;
}

} // namespace troupe
