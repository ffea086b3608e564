// The body of a request as a described struct.
#pragma once

#include "gateway/request.hpp"
#include "messages/json_reading.hpp"

namespace troupe::gateway {

/// Of one body, whatever its size.
inline constexpr std::size_t json_values_max = 200'000;

/// The body as one JSON value; `text` must outlive it. Errors: `invalid_input` if it isn't JSON, isn't
/// UTF-8, names a key twice or nests too deep; the router has refused another media type.
result<json::value> parse_body(std::string_view text, int levels);

/// `invalid_input` with everything that is wrong, by its place.
problem bad_body(std::vector<problem_at> faults);

/// Reads what a client sent; an unknown field is refused by its name. With `is_optional` nothing at all
/// stands for an object without members.
template <class T> result<T> read_body(const request& asked, bool is_optional = false) {
  const std::string_view text =
      is_optional && trimmed(asked.body).empty() ? "{}" : std::string_view(asked.body);
  auto parsed = parse_body(text, asked.json_depth_max);
  if (!parsed)
    return parsed.error();
  T out;
  json::reader from(true);
  from.get(*parsed, out);
  if (!from.faults().empty())
    return bad_body(from.faults());
  return out;
}

} // namespace troupe::gateway
