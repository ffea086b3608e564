// The heads of four formats: PNG (ISO 15948), GIF89a, JPEG (ITU T.81, the frame header), WebP (RFC 9649).
#include "gateway/picture.hpp"

#include <algorithm>

#include <openssl/evp.h>

namespace troupe::gateway {

namespace {

/// A JPEG's frame header stands behind its metadata, which holds a small picture mostly.
constexpr std::size_t head_bytes_max = 256 * 1024;

/// The first bytes, as far as they are base64 without line ends.
std::string head_of(std::string_view base64) {
  std::size_t length = std::min(base64.size(), head_bytes_max / 3 * 4);
  while (length > 0 && base64[length - 1] == '=')
    --length;
  length -= length % 4;
  std::string out(length / 4 * 3, '\0');
  const int decoded = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
      reinterpret_cast<const unsigned char*>(base64.data()), static_cast<int>(length));
  out.resize(decoded < 0 ? 0 : static_cast<std::size_t>(decoded));
  return out;
}

class bytes_of_head {
 public:
  explicit bytes_of_head(std::string_view head) : head_(head) {}
  bool has(std::size_t end) const { return head_.size() >= end; }
  bool says(std::size_t at, std::string_view word) const {
    return head_.substr(std::min(at, head_.size())).starts_with(word);
  }
  std::uint32_t byte(std::size_t at) const { return static_cast<unsigned char>(head_[at]); }
  std::uint32_t big(std::size_t at, int count) const {
    std::uint32_t out = 0;
    for (int i = 0; i < count; ++i)
      out = out << 8 | byte(at + static_cast<std::size_t>(i));
    return out;
  }
  std::uint32_t little(std::size_t at, int count) const {
    std::uint32_t out = 0;
    for (int i = count; i > 0; --i)
      out = out << 8 | byte(at + static_cast<std::size_t>(i - 1));
    return out;
  }

 private:
  std::string_view head_;
};

bool begins_a_frame(std::uint32_t marker) {
  return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

std::optional<picture_size> size_of_jpeg(const bytes_of_head& head) {
  for (std::size_t at = 2; head.has(at + 9) && head.byte(at) == 0xFF;) {
    const auto marker = head.byte(at + 1);
    if (begins_a_frame(marker))
      return picture_size{head.big(at + 7, 2), head.big(at + 5, 2)};
    at += marker == 0xFF ? 1 : 2 + head.big(at + 2, 2); // fill bytes may stand before a marker
  }
  return std::nullopt;
}

std::optional<picture_size> size_of_webp(const bytes_of_head& head) {
  if (!head.has(30))
    return std::nullopt;
  if (head.says(12, "VP8X"))
    return picture_size{head.little(24, 3) + 1, head.little(27, 3) + 1};
  if (head.says(12, "VP8L")) {
    const auto bits = head.little(21, 4);
    return picture_size{(bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1};
  }
  return picture_size{head.little(26, 2) & 0x3FFF, head.little(28, 2) & 0x3FFF};
}

bool is_base64(std::string_view text) {
  const std::size_t length = text.size();
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding)
    text.remove_suffix(1);
  return !text.empty() && length % 4 == 0 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
  });
}

} // namespace

std::optional<picture_size> size_of_picture(std::string_view base64) {
  const std::string bytes = head_of(base64);
  const bytes_of_head head(bytes);
  if (head.says(0, "\x89PNG\r\n\x1a\n") && head.has(24))
    return picture_size{head.big(16, 4), head.big(20, 4)};
  if ((head.says(0, "GIF87a") || head.says(0, "GIF89a")) && head.has(10))
    return picture_size{head.little(6, 2), head.little(8, 2)};
  if (head.says(0, "\xFF\xD8"))
    return size_of_jpeg(head);
  if (head.says(0, "RIFF") && head.says(8, "WEBPVP8"))
    return size_of_webp(head);
  return std::nullopt;
}

std::optional<std::string> fault_of_pictures(const content& value) {
  const auto* const parts = std::get_if<std::vector<content_part>>(&value.value);
  if (!parts)
    return std::nullopt;
  for (const auto& part : *parts) {
    const auto* const image = std::get_if<image_part>(&part);
    if (!image)
      continue;
    if (!image->data && !image->url)
      return "has a picture without `data` and without `url`";
    if (!image->data)
      continue;
    if (!is_base64(image->data->text))
      return "has a picture whose `data` isn't base64 (RFC 4648, without line ends)";
    const auto size = size_of_picture(image->data->text);
    if (size && std::max(size->width, size->height) > picture_side_max)
      return "has a picture of " + std::to_string(size->width) + " by " + std::to_string(size->height)
          + " pixels; no side may be over " + std::to_string(picture_side_max)
          + " (picture_side_max): make it smaller first";
  }
  return std::nullopt;
}

} // namespace troupe::gateway
