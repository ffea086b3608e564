// Looking at JSON values that were read.
#include "messages/json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace troupe::json {

namespace {

template <class T> std::optional<T> whole_number(std::string_view digits) {
  T parsed{};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), parsed);
  if (error != std::errc() || end != digits.data() + digits.size())
    return std::nullopt;
  return parsed;
}

} // namespace

std::optional<std::int64_t> value::as_int64() const {
  return is(kind::number) ? whole_number<std::int64_t>(source_) : std::nullopt;
}

std::optional<std::uint64_t> value::as_uint64() const {
  return is(kind::number) ? whole_number<std::uint64_t>(source_) : std::nullopt;
}

std::optional<double> value::as_double() const {
  const auto parsed = is(kind::number) ? whole_number<double>(source_) : std::nullopt;
  return parsed && std::isfinite(*parsed) ? parsed : std::nullopt;
}

const value* value::find(std::string_view key) const {
  const auto found =
      std::find_if(members_.rbegin(), members_.rend(), [&](const member& m) { return m.first == key; });
  return found == members_.rend() ? nullptr : &found->second;
}

} // namespace troupe::json
