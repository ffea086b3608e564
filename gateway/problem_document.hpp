// Refusals and faults as RFC 9457 documents (application/problem+json).
#pragma once

#include "gateway/response.hpp"
#include "messages/problem.hpp"

namespace troupe::gateway {

/// What only HTTP can refuse; everything else is a `problem`.
enum class refusal : std::uint8_t {
  bad_request,            // 400: no lawful HTTP
  unauthorized,           // 401
  forbidden,              // 403
  method_not_allowed,     // 405
  request_timeout,        // 408
  body_too_large,         // 413
  url_too_long,           // 414
  unsupported_media_type, // 415
  expectation_failed,     // 417
  over_quota,             // 429, with Retry-After
  headers_too_large,      // 431
  draining,               // 503, with Retry-After
};

/// Seconds in `Retry-After` where nothing better is known.
inline constexpr int retry_after_seconds = 1;

int status_of(problem_code code);
response problem_document(const problem& why);
response problem_document(refusal why, std::string_view detail, int retry_seconds = retry_after_seconds);

} // namespace troupe::gateway
