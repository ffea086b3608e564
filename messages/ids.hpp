// Identities: those that we make sort by time, those that users give keep to one alphabet.
#pragma once

#include "messages/time.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace troupe {

/// Gives the ids that a decision needs. An input like time: live it draws from a random source,
/// in verification it gives back what was recorded, in tests it counts.
class id_source {
 public:
  virtual ~id_source() = default;
  /// A new id. Ours are UUIDv7 (RFC 9562), so that they sort by time.
  virtual std::string next() = 0;
};

/// The UUIDv7 of a moment and 74 random bits, lower case with dashes.
std::string uuid_v7(timestamp at, std::uint64_t random_high, std::uint64_t random_low);

/// True for `[A-Za-z0-9][A-Za-z0-9._-]{0,127}`, the alphabet of session and message ids.
bool is_id(std::string_view id);

/// True for 8-4-4-4-12 hexadecimal digits.
bool is_uuid(std::string_view id);

} // namespace troupe
