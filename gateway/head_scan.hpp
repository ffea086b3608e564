// Where the head of a request ends, found while it comes, and what no head may hold.
#pragma once

#include "gateway/bounds.hpp"

#include <cstdint>
#include <string_view>

namespace troupe::gateway {

enum class head_state : std::uint8_t {
  more,          ///< it isn't whole
  whole,         ///< it ends with the last byte taken
  broken,        ///< a NUL, half a line end, a folded line, or no method at its start
  url_too_long,  ///< the first line is
  fields_too_big ///< the rest is, or has too many lines
};

/// Looks at every byte once.
class head_scan {
 public:
  explicit head_scan(const bounds& limits) : limits_(limits) {}

  /// Takes bytes up to the head's end; `used` says how many.
  head_state take(std::string_view bytes, std::size_t& used);

 private:
  head_state take(char c);

  const bounds& limits_;
  std::size_t line_ = 0;        ///< the number of the line, from 0
  std::size_t line_bytes_ = 0;  ///< of this line
  std::size_t field_bytes_ = 0; ///< of all lines but the first
  bool after_cr_ = false;
  bool in_method_ = true;
};

} // namespace troupe::gateway
