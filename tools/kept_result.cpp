// Cuts the text where the room ends; the rest goes by reference, so that nothing is stored twice.
#include "tools/kept_result.hpp"

#include "messages/text.hpp"

#include <numeric>

namespace troupe::tools {

namespace {

constexpr std::size_t line_bytes = 200; ///< the room of the line that stands for the rest

std::size_t text_bytes(const std::vector<content_part>& parts) {
  return std::accumulate(parts.begin(), parts.end(), std::size_t{0}, [](std::size_t sum, const auto& part) {
    const auto* const text = std::get_if<text_part>(&part);
    return sum + (text ? text->text.text.size() : 0);
  });
}

/// Takes from `text` what is over `room`, and from `room` what stays.
std::string cut(std::string& text, std::size_t& room) {
  const std::size_t stays = utf8_prefix(text, room).size();
  std::string rest = text.substr(stays);
  text.resize(stays);
  room = rest.empty() ? room - stays : 0;
  return rest;
}

std::string line_for(std::size_t left_out, std::size_t whole, const std::string& rest) {
  std::string line =
      "\n[… " + std::to_string(left_out) + " of " + std::to_string(whole) + " bytes are left out here; ";
  if (rest.size() < left_out)
    line += "of them the first " + std::to_string(rest.size()) + " are ";
  return line + "kept as " + content_name(rest) + " …]";
}

} // namespace

kept_result kept_within(content whole, std::size_t bytes_max) {
  const bool is_string = std::holds_alternative<large_text>(whole.value);
  auto parts = parts_of(whole);
  const std::size_t bytes = text_bytes(parts);
  if (bytes <= bytes_max)
    return {std::move(whole), std::nullopt};
  std::size_t room = bytes_max - line_bytes;
  std::string rest;
  text_part* last = nullptr; // the part in which the room ends
  for (auto& part : parts) {
    auto* const text = std::get_if<text_part>(&part);
    if (!text)
      continue;
    if (room > 0)
      last = text;
    std::string shown = text->text.text;
    rest += cut(shown, room);
    text->text = large_text(std::move(shown));
  }
  const std::size_t left_out = rest.size();
  rest = std::string(utf8_prefix(rest, rest_bytes_max));
  last->text = large_text(last->text.text + line_for(left_out, bytes, rest));
  std::erase_if(parts, [](const auto& part) {
    const auto* const text = std::get_if<text_part>(&part);
    return text && text->text.text.empty();
  });
  auto kept = is_string ? content(std::get<text_part>(parts.front()).text) : content(std::move(parts));
  return {std::move(kept), referenced_text(std::move(rest))};
}

} // namespace troupe::tools
