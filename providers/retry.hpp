// When a failed attempt is repeated, and what a provider's answer says about it. Pure.
#pragma once

#include "messages/events/run_events.hpp"
#include "providers/http_message.hpp"

#include <cstdint>
#include <optional>

namespace troupe::providers {

/// A longer `Retry-After` is not waited for, unless a provider is configured otherwise: the error stands.
inline constexpr std::int64_t retry_after_ms_max = 60'000;
/// The exponential delay grows no further than this.
inline constexpr std::int64_t retry_delay_ms_max = 30'000;

/// How long to wait before the attempt is repeated, in milliseconds; absent if the failure stands.
/// Nothing is repeated once a block of the answer has begun (`anything_came`). The delay is what the
/// provider asked for, else a random part of `base_ms`·2^`retries_so_far`. `random` is in [0, 1).
std::optional<std::int64_t> next_retry(const failure& failed, std::int64_t retries_so_far,
    std::int64_t max_retries, bool anything_came, std::optional<std::int64_t> retry_after_ms,
    std::int64_t base_ms, double random, std::int64_t retry_after_most = retry_after_ms_max);

/// The code of a status, and whether another attempt may help.
failure failure_of_status(int status, const http_head& head, std::string message);

/// The message where an answer that is no success isn't explained by a document of the service: a
/// proxy's page in short, or that nothing was given.
std::string unexplained(std::string_view body);

/// `retry-after-ms`, else `retry-after` in seconds, whole or decimal, or as an HTTP date against
/// `now_seconds` (since 1970); negative and past is 0, what makes no sense is absent.
std::optional<std::int64_t> retry_after(const http_head& head, std::int64_t now_seconds);

/// The seconds since 1970 of an IMF-fixdate, as `Sun, 06 Nov 1994 08:49:37 GMT`.
std::optional<std::int64_t> parse_http_date(std::string_view text);

} // namespace troupe::providers
