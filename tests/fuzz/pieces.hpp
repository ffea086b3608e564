// An input whose first byte says in what pieces the rest comes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace troupe::fuzz {

struct pieces {
  std::string_view whole;
  std::vector<std::string_view> cut;

  pieces(const std::uint8_t* data, std::size_t size)
      : whole(reinterpret_cast<const char*>(data) + (size > 0 ? 1 : 0), size > 0 ? size - 1 : 0) {
    const std::size_t length = size > 0 && data[0] > 0 ? data[0] : 1;
    for (auto rest = whole; !rest.empty(); rest.remove_prefix(cut.back().size()))
      cut.push_back(rest.substr(0, length));
  }
};

} // namespace troupe::fuzz
