// Statuses and titles of problems, and the document.
#include "gateway/problem_document.hpp"

#include "messages/json.hpp"
#include "messages/text.hpp"
#include "telemetry/log.hpp"

namespace troupe::gateway {

namespace {

struct kind {
  int status;
  std::string_view name;
  std::string_view title;
};

kind kind_of(refusal why) {
  switch (why) {
  case refusal::bad_request:
    return {400, "bad_request", "This is no lawful HTTP request"};
  case refusal::unauthorized:
    return {401, "unauthorized", "A key is needed"};
  case refusal::forbidden:
    return {403, "forbidden", "The key isn't good for this"};
  case refusal::method_not_allowed:
    return {405, "method_not_allowed", "This resource has no such method"};
  case refusal::request_timeout:
    return {408, "request_timeout", "The request came too slowly"};
  case refusal::body_too_large:
    return {413, "too_large", "Too large"};
  case refusal::url_too_long:
    return {414, "url_too_long", "The URL is too long"};
  case refusal::unsupported_media_type:
    return {415, "unsupported_media_type", "The body has another media type"};
  case refusal::expectation_failed:
    return {417, "expectation_failed", "This expectation can't be met"};
  case refusal::over_quota:
    return {429, "over_quota", "Over quota"};
  case refusal::headers_too_large:
    return {431, "headers_too_large", "The headers are too large"};
  case refusal::draining:
    return {503, "draining", "This node takes no new work"};
  }
  return {500, "internal", "A fault of the server"};
}

std::string_view title_of(problem_code code) {
  switch (code) {
  case problem_code::invalid_input:
    return "The input breaks a rule";
  case problem_code::not_found:
    return "Not found";
  case problem_code::conflict:
  case problem_code::behind:
  case problem_code::cancelled:
    return "The session's state doesn't allow it now";
  case problem_code::closed:
    return "The session is closed";
  case problem_code::duplicate:
    return "The id is taken";
  case problem_code::fenced:
  case problem_code::owned_elsewhere:
    return "Another node owns the session now";
  case problem_code::too_large:
    return "Too large";
  case problem_code::unavailable:
    return "Not available now";
  case problem_code::unsupported:
    return "Not supported";
  case problem_code::timeout:
    return "It took too long";
  case problem_code::corrupt:
    return "Stored data breaks the format";
  case problem_code::internal:
    return "A fault of the server";
  }
  return "A fault of the server";
}

bool passes(int status) { return status == 429 || status == 503; }

response document(const kind& what, std::string_view detail, const std::vector<problem_at>& errors) {
  json::writer out;
  out.begin_object()
      .field("type", "urn:troupe:error:" + std::string(what.name))
      .field("title", what.title)
      .key("status")
      .number(std::int64_t{what.status})
      .field("detail", to_utf8(detail));
  if (!errors.empty()) {
    out.key("errors").begin_array();
    for (const problem_at& one : errors)
      out.begin_object()
          .field("pointer", to_utf8(one.pointer))
          .field("detail", to_utf8(one.detail))
          .end_object();
    out.end_array();
  }
  out.end_object();
  response made = json_answer(out.take(), what.status);
  made.content_type = "application/problem+json";
  return made;
}

} // namespace

int status_of(problem_code code) {
  switch (code) {
  case problem_code::invalid_input:
    return 400;
  case problem_code::not_found:
    return 404;
  case problem_code::conflict:
  case problem_code::closed:
  case problem_code::duplicate:
  case problem_code::cancelled:
    return 409;
  case problem_code::too_large:
    return 413;
  case problem_code::unsupported:
    return 501;
  case problem_code::behind: // the session moved or is moving: trying again is right
  case problem_code::fenced:
  case problem_code::owned_elsewhere:
  case problem_code::unavailable:
    return 503;
  case problem_code::timeout:
    return 504;
  case problem_code::corrupt:
  case problem_code::internal:
    return 500;
  }
  return 500;
}

// What went wrong inside is for the log.
response problem_document(const problem& why) {
  const int status = status_of(why.code);
  std::string_view detail = why.detail;
  if (status == 500) {
    if (!why.detail.empty())
      telemetry::log(telemetry::level::error, "a request failed",
          {{"problem", std::string(name_of(why.code))}, {"detail", why.detail}});
    detail = "the server failed at this request; its log says why";
  }
  response made = document({status, name_of(why.code), title_of(why.code)}, detail, why.errors);
  return passes(status) ? std::move(made).with("retry-after", std::to_string(retry_after_seconds))
                        : std::move(made);
}

response problem_document(refusal why, std::string_view detail, int retry_seconds) {
  const kind what = kind_of(why);
  response made = document(what, detail, {});
  if (why == refusal::unauthorized)
    return std::move(made).with("www-authenticate", "Bearer");
  return passes(what.status) ? std::move(made).with("retry-after", std::to_string(retry_seconds))
                             : std::move(made);
}

} // namespace troupe::gateway
