// The formats of text that are checked: dates and times as RFC 3339 writes them.
#include "tools/schema_check.hpp"

#include <array>

namespace troupe::tools::schema_form {

namespace {

/// Takes `count` digits off the front; absent if they aren't there.
std::optional<int> digits(std::string_view& text, std::size_t count) {
  int out = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (i >= text.size() || text[i] < '0' || text[i] > '9')
      return std::nullopt;
    out = out * 10 + (text[i] - '0');
  }
  text.remove_prefix(count);
  return out;
}

bool take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == std::string_view::npos)
    return false;
  text.remove_prefix(1);
  return true;
}

bool take_date(std::string_view& text) {
  const auto year = digits(text, 4);
  if (!year || !take(text, "-"))
    return false;
  const auto month = digits(text, 2);
  if (!month || *month < 1 || *month > 12 || !take(text, "-"))
    return false;
  const auto day = digits(text, 2);
  static constexpr std::array<int, 12> days = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = *year % 4 == 0 && (*year % 100 != 0 || *year % 400 == 0);
  return day && *day >= 1
      && *day <= days[static_cast<std::size_t>(*month - 1)] + (leap && *month == 2 ? 1 : 0);
}

bool take_time(std::string_view& text) {
  const auto hour = digits(text, 2);
  if (!hour || *hour > 23 || !take(text, ":"))
    return false;
  const auto minute = digits(text, 2);
  if (!minute || *minute > 59 || !take(text, ":"))
    return false;
  const auto second = digits(text, 2);
  if (!second || *second > 60)
    return false;
  if (take(text, ".")) {
    if (!digits(text, 1))
      return false;
    while (digits(text, 1)) {
    }
  }
  if (take(text, "Zz"))
    return true;
  if (!take(text, "+-"))
    return false;
  const auto hours = digits(text, 2);
  if (!hours || *hours > 23 || !take(text, ":"))
    return false;
  const auto minutes = digits(text, 2);
  return minutes && *minutes <= 59;
}

} // namespace

bool has_format(std::string_view text, text_format format) {
  switch (format) {
  case text_format::none:
    return true;
  case text_format::date:
    return take_date(text) && text.empty();
  case text_format::time:
    return take_time(text) && text.empty();
  case text_format::date_time:
    return take_date(text) && take(text, "Tt") && take_time(text) && text.empty();
  }
  return true;
}

} // namespace troupe::tools::schema_form
