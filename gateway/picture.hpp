// How big a picture is in pixels, by the head of its file; nothing is decoded.
#pragma once

#include "messages/content.hpp"

namespace troupe::gateway {

/// Pixels of a picture's longer side: providers refuse more, and would refuse the conversation for ever.
inline constexpr std::uint32_t picture_side_max = 8000;

struct picture_size {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  bool operator==(const picture_size&) const = default;
};

/// Of a PNG, GIF, JPEG or WebP file in base64 (RFC 4648); absent for anything else, and where the head
/// isn't whole or isn't base64.
std::optional<picture_size> size_of_picture(std::string_view base64);

/// What is wrong with a picture of the content, as the rest of a sentence; absent if nothing is. One whose
/// size can't be told is the provider's to judge.
std::optional<std::string> fault_of_pictures(const content& value);

} // namespace troupe::gateway
