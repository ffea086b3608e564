// RFC 3339, in UTC with microseconds.
#include "messages/time.hpp"

#include <chrono>

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

void put_digits(char* end, std::size_t count, int number) {
  for (; count > 0; --count, number /= 10)
    *--end = static_cast<char>('0' + number % 10);
}

} // namespace

// Digit by digit: every event of a log that is checked has one.
std::string to_string(timestamp at) {
  using namespace std::chrono;
  const sys_time<microseconds> point{microseconds(at.microseconds)};
  const auto day = floor<days>(point);
  const year_month_day date{day};
  const hh_mm_ss time{point - day};
  const int year = static_cast<int>(date.year());
  std::string text = year >= 0 && year <= 9999 ? "0000" : std::to_string(year);
  if (text == "0000")
    put_digits(text.data() + 4, 4, year);
  const std::size_t after_year = text.size();
  text += "-00-00T00:00:00.000000Z";
  const auto put = [&](std::size_t end, std::size_t count, auto number) {
    put_digits(text.data() + after_year + end, count, static_cast<int>(number));
  };
  put(3, 2, static_cast<unsigned>(date.month()));
  put(6, 2, static_cast<unsigned>(date.day()));
  put(9, 2, time.hours().count());
  put(12, 2, time.minutes().count());
  put(15, 2, time.seconds().count());
  put(22, 6, time.subseconds().count());
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
