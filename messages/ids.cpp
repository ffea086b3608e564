// UUIDv7 as RFC 9562 lays it out, and the alphabet of ids.
#include "messages/ids.hpp"

#include <cctype>
#include <cstdio>

namespace troupe {

std::string uuid_v7(timestamp at, std::uint64_t random_high, std::uint64_t random_low) {
  const auto ms = static_cast<std::uint64_t>(at.microseconds / 1000);
  char text[40];
  std::snprintf(text, sizeof text, "%08x-%04x-7%03x-%04x-%012llx", static_cast<unsigned>(ms >> 16),
      static_cast<unsigned>(ms & 0xFFFF), static_cast<unsigned>(random_high & 0xFFF),
      static_cast<unsigned>(0x8000 | ((random_high >> 12) & 0x3FFF)),
      static_cast<unsigned long long>(random_low & 0xFFFF'FFFF'FFFFULL));
  return text;
}

bool is_id(std::string_view id) {
  if (id.empty() || id.size() > 128 || !std::isalnum(static_cast<unsigned char>(id.front())))
    return false;
  for (const char c : id)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '_' && c != '-')
      return false;
  return true;
}

bool is_uuid(std::string_view id) {
  if (id.size() != 36)
    return false;
  for (std::size_t i = 0; i < id.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? id[i] != '-' : !std::isxdigit(static_cast<unsigned char>(id[i])))
      return false;
  }
  return true;
}

} // namespace troupe
