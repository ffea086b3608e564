// The retry policy: statuses, Retry-After, and delays with full jitter.
#include "providers/retry.hpp"

#include "messages/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace troupe::providers {

namespace {

std::optional<double> number(std::string_view text) {
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::optional<std::int64_t> milliseconds(double value) {
  if (value > 2147483647.0) // outside of what any client takes seriously
    return std::nullopt;
  return value <= 0 ? 0 : static_cast<std::int64_t>(std::llround(value));
}

// Days since 1970 of a date of the Gregorian calendar.
std::int64_t days_of(std::int64_t year, std::int64_t month, std::int64_t day) {
  year -= month <= 2;
  auto era = year / 400;
  auto of_era = year - era * 400;
  auto of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

} // namespace

std::optional<std::int64_t> next_retry(const failure& failed, std::int64_t retries_so_far,
    std::int64_t max_retries, bool anything_came, std::optional<std::int64_t> retry_after_ms,
    std::int64_t base_ms, double random, std::int64_t retry_after_most) {
  if (!failed.retryable || anything_came || retries_so_far >= max_retries)
    return std::nullopt;
  if (retry_after_ms) {
    if (*retry_after_ms > retry_after_most)
      return std::nullopt;
    return std::max<std::int64_t>(0, *retry_after_ms);
  }
  auto doublings = std::clamp<std::int64_t>(retries_so_far, 0, 20);
  auto most = std::min(retry_delay_ms_max, std::max<std::int64_t>(0, base_ms) << doublings);
  return static_cast<std::int64_t>(std::clamp(random, 0.0, 1.0) * static_cast<double>(most));
}

failure failure_of_status(int status, const http_head& head, std::string message) {
  failure failed{"unknown", status, false, std::move(message)};
  if (status == 400 || status == 401 || status == 403) {
    failed.code = "invalid_request";
  } else if (status == 402) {
    failed.code = "quota";
  } else if (status == 408 || status == 409 || status == 429) {
    failed.code = "rate_limit";
    failed.retryable = true;
  } else if (status == 529) {
    failed.code = "overloaded";
    failed.retryable = true;
  } else if (status >= 500 && status <= 599) {
    failed.code = "api_5xx";
    failed.retryable = true;
  }
  if (auto said = head.find("x-should-retry"); said == "true")
    failed.retryable = true;
  else if (said == "false")
    failed.retryable = false;
  return failed;
}

std::string unexplained(std::string_view body) {
  auto text = to_utf8(body.substr(0, 300));
  return text.empty() ? "no explanation given" : std::string(utf8_prefix(text, 297));
}

std::optional<std::int64_t> retry_after(const http_head& head, std::int64_t now_seconds) {
  if (auto exact = head.find("retry-after-ms"))
    if (auto value = number(*exact))
      return milliseconds(*value);
  auto said = head.find("retry-after");
  if (!said)
    return std::nullopt;
  if (auto seconds = number(*said))
    return milliseconds(*seconds * 1000);
  if (auto date = parse_http_date(*said))
    return milliseconds(static_cast<double>(*date - now_seconds) * 1000);
  return std::nullopt;
}

std::optional<std::int64_t> parse_http_date(std::string_view text) {
  constexpr std::array<std::string_view, 12> months{
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  if (text.size() != 29 || text.substr(3, 2) != ", " || text.substr(25) != " GMT" || text[19] != ':'
      || text[22] != ':')
    return std::nullopt;
  auto digits = [&](std::size_t at, std::size_t count) -> std::int64_t {
    std::int64_t value = -1;
    auto first = text.data() + at;
    auto [end, error] = std::from_chars(first, first + count, value);
    return error == std::errc{} && end == first + count ? value : -1;
  };
  auto month = std::find(months.begin(), months.end(), text.substr(8, 3)) - months.begin();
  auto day = digits(5, 2), year = digits(12, 4), hour = digits(17, 2), minute = digits(20, 2),
       second = digits(23, 2);
  if (month == 12 || day < 1 || day > 31 || year < 1970 || hour < 0 || hour > 23 || minute < 0 || minute > 59
      || second < 0)
    return std::nullopt;
  return days_of(year, month + 1, day) * 86400 + hour * 3600 + minute * 60 + second;
}

} // namespace troupe::providers
