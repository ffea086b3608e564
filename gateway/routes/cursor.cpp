// The time at which the last session of a page was made, and its branch.
#include "gateway/routes/cursor.hpp"

#include "gateway/request.hpp"

#include <charconv>

namespace troupe::gateway {

std::string cursor_of(const persistence::session_row& last) {
  return std::to_string(last.created_at.microseconds) + "." + std::to_string(last.key.branch);
}

std::optional<persistence::page_mark> mark_of(std::string_view cursor) {
  persistence::page_mark mark;
  const auto* const end = cursor.data() + cursor.size();
  auto [at, wrong] = std::from_chars(cursor.data(), end, mark.created_at.microseconds);
  if (wrong != std::errc() || at == end || *at != '.')
    return std::nullopt;
  const auto rest = std::from_chars(at + 1, end, mark.branch);
  return rest.ec == std::errc() && rest.ptr == end ? std::optional(mark) : std::nullopt;
}

problem bad_cursor(std::string_view given) {
  return {problem_code::invalid_input, "`cursor` is the `next_cursor` of a page; it was " + shown(given), {}};
}

} // namespace troupe::gateway
