// UTF-8 as RFC 3629 has it, and the distance between names.
#include "messages/text.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace troupe {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

struct sequence {
  std::size_t length = 1; // bytes consumed; of a broken sequence its maximal valid part
  bool valid = false;
};

// Table 3-7 of the Unicode standard: the second byte's range depends on the first.
sequence next_sequence(std::string_view bytes, std::size_t at) {
  auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char lead = byte(at);
  if (lead < 0x80)
    return {1, true};
  std::size_t length = 0;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    low = lead == 0xE0 ? 0xA0 : 0x80;
    high = lead == 0xED ? 0x9F : 0xBF;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    low = lead == 0xF0 ? 0x90 : 0x80;
    high = lead == 0xF4 ? 0x8F : 0xBF;
  } else {
    return {1, false};
  }
  for (std::size_t i = 1; i < length; ++i) {
    if (at + i >= bytes.size() || byte(at + i) < low || byte(at + i) > high)
      return {i, false};
    low = 0x80;
    high = 0xBF;
  }
  return {length, true};
}

/// How far from `at` on all is ASCII, eight bytes at a time.
std::size_t ascii_until(std::string_view bytes, std::size_t at) {
  std::uint64_t eight = 0;
  for (; at + sizeof eight <= bytes.size(); at += sizeof eight) {
    std::memcpy(&eight, bytes.data() + at, sizeof eight);
    if ((eight & 0x8080808080808080) != 0)
      break;
  }
  return at;
}

std::size_t first_fault(std::string_view bytes) {
  std::size_t at = 0;
  while ((at = ascii_until(bytes, at)) < bytes.size()) {
    const auto next = next_sequence(bytes, at);
    if (!next.valid)
      return at;
    at += next.length;
  }
  return bytes.size();
}

std::size_t distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> row(right.size() + 1);
  for (std::size_t j = 0; j <= right.size(); ++j)
    row[j] = j;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (left[i - 1] == right[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[right.size()];
}

} // namespace

bool is_utf8(std::string_view bytes) { return first_fault(bytes) == bytes.size(); }

std::string to_utf8(std::string_view bytes) {
  std::size_t at = first_fault(bytes);
  std::string out(bytes.substr(0, at));
  while (at < bytes.size()) {
    const auto next = next_sequence(bytes, at);
    out += next.valid ? bytes.substr(at, next.length) : replacement;
    at += next.length;
  }
  return out;
}

void append_utf8(std::string& out, char32_t scalar) {
  const auto value = static_cast<std::uint32_t>(scalar);
  auto push = [&](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
    out += replacement;
  } else if (value < 0x80) {
    push(value);
  } else if (value < 0x800) {
    push(0xC0 | (value >> 6));
    push(0x80 | (value & 0x3F));
  } else if (value < 0x10000) {
    push(0xE0 | (value >> 12));
    push(0x80 | ((value >> 6) & 0x3F));
    push(0x80 | (value & 0x3F));
  } else {
    push(0xF0 | (value >> 18));
    push(0x80 | ((value >> 12) & 0x3F));
    push(0x80 | ((value >> 6) & 0x3F));
    push(0x80 | (value & 0x3F));
  }
}

std::string_view utf8_prefix(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max)
    return text;
  std::size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
    --end;
  return text.substr(0, end);
}

std::string nearest_name(std::string_view name, const std::string_view* first, const std::string_view* last) {
  if (name.size() > 64)
    return {};
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (; first != last; ++first) {
    const std::size_t d = distance(name, *first);
    if (d < best_distance) {
      best_distance = d;
      best = *first;
    }
  }
  return std::string(best);
}

} // namespace troupe
