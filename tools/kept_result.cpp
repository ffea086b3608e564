// Cuts the text where the room ends; the rest goes by reference, so that nothing is stored twice.
#include "tools/kept_result.hpp"

#include "messages/text.hpp"

#include <limits>
#include <numeric>

namespace troupe::tools {

namespace {

constexpr std::size_t line_bytes = 200; ///< the room of the line that stands for the rest
const std::string line_begins = "\n[… ";

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

/// What is over the bound of data becomes a line of text.
void leave_out_media(std::vector<content_part>& parts) {
  std::size_t room = output_media_bytes_max;
  for (auto& part : parts) {
    const auto* const image = std::get_if<image_part>(&part);
    const auto* const document = std::get_if<document_part>(&part);
    const auto* const data = image && image->data ? &*image->data
        : document && document->data              ? &*document->data
                                                  : nullptr;
    if (!data)
      continue;
    if (const std::size_t bytes = data->text.size(); bytes <= room)
      room -= bytes;
    else
      part = text_part{large_text("[a " + std::string(image ? "picture" : "document") + " of "
          + std::to_string(bytes) + " bytes was left out: it is too big]")};
  }
}

/// The same with so much of the text as `room` says, and the line after it.
kept_result cut_at(content whole, std::size_t room) {
  const bool is_string = std::holds_alternative<large_text>(whole.value);
  auto parts = parts_of(whole);
  const std::size_t bytes = text_bytes(parts);
  std::string rest;
  text_part* last = nullptr; // the part in which the room ends
  for (auto& part : parts) {
    auto* const text = std::get_if<text_part>(&part);
    if (!text)
      continue;
    if (room > 0 || !last)
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

} // namespace

kept_result kept_within(content whole, std::size_t bytes_max) {
  if (auto* const parts = std::get_if<std::vector<content_part>>(&whole.value))
    leave_out_media(*parts);
  if (text_bytes(parts_of(whole)) <= bytes_max)
    return {std::move(whole), std::nullopt};
  return cut_at(std::move(whole), bytes_max - line_bytes);
}

bool is_kept_form(const kept_result& kept, content whole) {
  if (kept.content == whole)
    return !kept.rest;
  if (auto* const parts = std::get_if<std::vector<content_part>>(&whole.value))
    leave_out_media(*parts);
  if (!kept.rest)
    return kept.content == whole;
  const std::size_t bytes = text_bytes(parts_of(whole));
  const std::size_t left_out = kept.rest->content.ref->bytes;
  return left_out <= bytes && cut_at(std::move(whole), bytes - left_out) == kept;
}

json::raw size_of_details(const json::raw& details) {
  return {R"({"left_out_bytes":)" + std::to_string(details.text.size()) + "}"};
}

bool is_kept_form(const std::optional<json::raw>& shown, const std::optional<json::raw>& whole) {
  return shown == whole || (shown && whole && *shown == size_of_details(*whole));
}

} // namespace troupe::tools
