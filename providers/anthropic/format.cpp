// Requests, answers and errors of the Messages API, joined for the HTTP provider.
#include "providers/anthropic/format.hpp"

#include "messages/text.hpp"
#include "messages/time.hpp"
#include "providers/anthropic/decode.hpp"
#include "providers/anthropic/request.hpp"
#include "providers/fields.hpp"
#include "providers/retry.hpp"

#include <algorithm>
#include <chrono>

namespace troupe::providers::anthropic {

namespace {

// Without a Retry-After the limit that is used up says when it is full again.
std::optional<std::int64_t> until_reset(const http_head& head, std::int64_t now_seconds) {
  std::optional<std::int64_t> longest;
  for (std::string_view limit : {"requests", "tokens", "input-tokens", "output-tokens"}) {
    auto name = "anthropic-ratelimit-" + std::string(limit);
    auto reset = parse_timestamp(head.find(name + "-reset").value_or(""));
    if (reset && head.find(name + "-remaining") == "0")
      longest =
          std::max({std::int64_t{0}, longest.value_or(0), reset->microseconds / 1000 - now_seconds * 1000});
  }
  return longest;
}

} // namespace

result<wire_request> format::write(const inference_request& request) const {
  auto body = write_body(request);
  if (!body)
    return body.error();
  wire_request out{"/v1/messages",
      {{"content-type", "application/json"}, {"accept", "text/event-stream"},
          {"anthropic-version", "2023-06-01"}},
      std::move(*body)};
  if (request.compact)
    out.fields.push_back({"anthropic-beta", "compact-2026-09-04"});
  return out;
}

wire_request format::list_models() const { return {"/v1/models", {{"anthropic-version", "2023-06-01"}}, {}}; }

std::unique_ptr<decoder> format::make_decoder(const http_head& head) const {
  if (head.media_type() == "application/json")
    return std::make_unique<whole_decoder>();
  return std::make_unique<stream_decoder>();
}

wire_error format::read_error(const http_head& head, std::string_view body) const {
  auto now =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
          .count();
  wire_error error{failure_of_status(head.status, head, {}), retry_after(head, now)};
  if (head.status == 429 && !error.retry_after_ms)
    error.retry_after_ms = until_reset(head, now);
  auto parsed = json::parse(body);
  const auto* document = parsed ? parsed->find("error") : nullptr;
  if (document == nullptr || !document->is(json::kind::object)) {
    error.error.message = unexplained(body);
    return error;
  }
  auto type = string_at(document, "type");
  auto message = string_at(document, "message");
  auto code = string_at(document->find("details"), "error_code");
  auto by_type = failure_of_type(type, code, message);
  if (by_type.code == "quota" || by_type.code == "context_overflow"
      || (error.error.code == "unknown" && by_type.code != "unknown")) {
    error.error.code = by_type.code;
    error.error.retryable = false;
  }
  error.error.message = type + (message.empty() ? "" : ": " + std::string(utf8_prefix(message, 2000)));
  return error;
}

std::unique_ptr<provider> make_provider(http_provider_settings settings) {
  return std::make_unique<http_provider>(std::move(settings), std::make_unique<format>());
}

} // namespace troupe::providers::anthropic
