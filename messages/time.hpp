// Moments: microseconds since 1970 in UTC, written as RFC 3339.
#pragma once

#include "messages/result.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace troupe {

/// A moment on the database's clock.
struct timestamp {
  std::int64_t microseconds = 0;
  auto operator<=>(const timestamp&) const = default;
};

/// `2026-11-30T10:00:00.000500Z`, always with six digits.
std::string to_string(timestamp at);

/// Reads what `to_string` writes (fraction of 0 to 6 digits, `Z` only).
result<timestamp> parse_timestamp(std::string_view text);

} // namespace troupe
