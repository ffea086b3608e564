// How far a JSON string goes on without anything that must be looked at: most of every text.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace troupe::json {

/// True for what ends a run: a quote, a backslash, a control character.
inline bool ends_run(char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20; }

/// The first place from `at` on whose character ends a run, or the end. Eight at a time.
inline std::size_t run_end(std::string_view text, std::size_t at) {
  constexpr std::uint64_t ones = 0x0101010101010101;
  constexpr std::uint64_t highs = 0x8080808080808080;
  // not 0 if, and only if, some byte is below `bound`
  const auto below = [](std::uint64_t bytes, std::uint64_t bound) {
    return (bytes - ones * bound) & ~bytes & highs;
  };
  std::uint64_t eight = 0;
  for (; at + sizeof eight <= text.size(); at += sizeof eight) {
    std::memcpy(&eight, text.data() + at, sizeof eight);
    if ((below(eight, 0x20) | below(eight ^ (ones * '"'), 1) | below(eight ^ (ones * '\\'), 1)) != 0)
      break;
  }
  while (at < text.size() && !ends_run(text[at]))
    ++at;
  return at;
}

} // namespace troupe::json
