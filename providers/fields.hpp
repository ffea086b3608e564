// Members of JSON objects that may be missing or of another type, as answers have them.
#pragma once

#include "messages/json.hpp"

namespace troupe::providers {

/// Empty if there is no such string.
inline std::string string_at(const json::value* in, std::string_view key) {
  const auto* found = in != nullptr ? in->find(key) : nullptr;
  return found != nullptr ? found->as_string() : std::string();
}

inline std::optional<std::int64_t> number_at(const json::value* in, std::string_view key) {
  const auto* found = in != nullptr ? in->find(key) : nullptr;
  return found != nullptr ? found->as_int64() : std::nullopt;
}

} // namespace troupe::providers
