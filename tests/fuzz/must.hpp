// What a fuzz target demands: it ends the process with the words of what failed.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace troupe::fuzz {

inline void must(bool holds, const char* what) {
  if (holds)
    return;
  std::fprintf(stderr, "a property doesn't hold: %s\n", what);
  std::abort();
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

} // namespace troupe::fuzz
