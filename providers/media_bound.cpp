// From the oldest message on, part by part.
#include "providers/media_bound.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace troupe::providers {

namespace {

/// Zero for text, and for what stands by its address.
std::size_t media_bytes(const content_part& part) {
  if (const auto* const image = std::get_if<image_part>(&part))
    return image->data ? image->data->text.size() : 0;
  if (const auto* const document = std::get_if<document_part>(&part))
    return document->data ? document->data->text.size() : 0;
  return 0;
}

std::size_t media_bytes(const message& of) {
  std::size_t bytes = 0;
  for (const auto& part : of.parts)
    bytes += media_bytes(part);
  return bytes;
}

} // namespace

std::size_t media_bytes(const message_list& messages) {
  std::size_t bytes = 0;
  for (const auto& message : messages)
    bytes += media_bytes(message);
  return bytes;
}

bool keep_media_within(message_list& messages, std::size_t bytes_max, std::string_view why) {
  std::size_t bytes = media_bytes(messages);
  bool something_went = false;
  for (std::size_t n = 0; n < messages.size() && bytes > bytes_max; ++n) {
    if (media_bytes(messages[n]) == 0)
      continue;
    auto less = messages[n];
    bool differs = false;
    for (auto& part : less.parts) {
      const std::size_t of_this = media_bytes(part);
      if (of_this == 0 || bytes <= bytes_max)
        continue;
      const char* const what = std::holds_alternative<image_part>(part) ? "picture" : "document";
      part = text_part{large_text("[" + std::string(what) + " left out: " + std::string(why) + "]")};
      bytes -= of_this;
      differs = true;
    }
    if (differs)
      messages.replace(n, std::move(less));
    something_went = something_went || differs;
  }
  return something_went;
}

bool blames_media(std::string_view message) {
  constexpr std::array<std::string_view, 7> words{
      "image", "images", "picture", "pictures", "pdf", "document", "documents"};
  std::string word;
  for (const char c : std::string(message) + " ") {
    if (std::isalpha(static_cast<unsigned char>(c))) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      continue;
    }
    if (std::find(words.begin(), words.end(), word) != words.end())
      return true;
    word.clear();
  }
  return false;
}

} // namespace troupe::providers
