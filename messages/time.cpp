// RFC 3339, in UTC with microseconds.
#include "messages/time.hpp"

#include <chrono>
#include <cstdio>

namespace troupe {

namespace {

constexpr std::int64_t per_second = 1'000'000;

bool digits(std::string_view text, std::size_t at, std::size_t count, int& out) {
  out = 0;
  if (at + count > text.size())
    return false;
  for (std::size_t i = at; i < at + count; ++i) {
    if (text[i] < '0' || text[i] > '9')
      return false;
    out = out * 10 + (text[i] - '0');
  }
  return true;
}

} // namespace

std::string to_string(timestamp at) {
  using namespace std::chrono;
  const sys_time<microseconds> point{microseconds(at.microseconds)};
  const auto day = floor<days>(point);
  const year_month_day date{day};
  const hh_mm_ss time{point - day};
  char text[48];
  std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.%06dZ", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
      static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
      static_cast<int>(time.seconds().count()), static_cast<int>(time.subseconds().count()));
  return text;
}

result<timestamp> parse_timestamp(std::string_view text) {
  using namespace std::chrono;
  const problem fault{problem_code::invalid_input,
      "`" + std::string(text.substr(0, 40)) + "` is no time of the form 2026-11-30T10:00:00.000000Z", {}};
  int y = 0, mo = 0, d = 0, h = 0, mi = 0, s = 0;
  if (!digits(text, 0, 4, y) || !digits(text, 5, 2, mo) || !digits(text, 8, 2, d) || !digits(text, 11, 2, h)
      || !digits(text, 14, 2, mi) || !digits(text, 17, 2, s) || text[4] != '-' || text[7] != '-'
      || text[10] != 'T' || text[13] != ':' || text[16] != ':' || text.back() != 'Z')
    return fault;
  const year_month_day date{year(y), month(static_cast<unsigned>(mo)), day(static_cast<unsigned>(d))};
  if (!date.ok() || h > 23 || mi > 59 || s > 59)
    return fault;
  std::int64_t fraction = 0;
  if (text[19] == '.') {
    const std::string_view tail = text.substr(20, text.size() - 21);
    int parsed = 0;
    if (tail.empty() || tail.size() > 6 || !digits(tail, 0, tail.size(), parsed))
      return fault;
    fraction = parsed;
    for (std::size_t i = tail.size(); i < 6; ++i)
      fraction *= 10;
  } else if (text.size() != 20) {
    return fault;
  }
  const std::int64_t seconds = sys_days{date}.time_since_epoch() / 1s + h * 3600 + mi * 60 + s;
  return timestamp{seconds * per_second + fraction};
}

} // namespace troupe
