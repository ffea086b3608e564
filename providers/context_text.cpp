// What all formats ask of a context's texts before they write them.
#include "providers/context_text.hpp"

namespace troupe::providers {

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n\f\v") == std::string_view::npos;
}

std::string lawful_name(const std::string& name, std::size_t bytes_max) {
  std::string out = name.substr(0, bytes_max);
  for (char& c : out)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-')
      c = '_';
  return out.empty() ? "_" : out;
}

const std::string& context_texts::content_of(const large_text& text) {
  if (!text.loaded && !fault_)
    fault_ = problem{problem_code::internal,
        "a text of the context is not at hand: " + (text.ref ? text.ref->blob : "without a name"), {}};
  return text.text;
}

std::string context_texts::joined(const std::vector<content_part>& parts) {
  std::string text;
  for (const auto& part : parts)
    if (const auto* words = std::get_if<text_part>(&part))
      text += (text.empty() ? "" : "\n") + content_of(words->text);
  return text;
}

std::string context_texts::as_system_text(const std::vector<content_part>& parts) {
  auto text = joined(parts);
  return is_blank(text) ? std::string() : "<system>" + text + "</system>";
}

} // namespace troupe::providers
