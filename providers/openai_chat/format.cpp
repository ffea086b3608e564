// Requests, answers and errors of the Chat Completions API, joined for the HTTP provider.
#include "providers/openai_chat/format.hpp"

#include "messages/text.hpp"
#include "providers/openai_chat/decode.hpp"
#include "providers/openai_chat/request.hpp"
#include "providers/retry.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>

namespace troupe::providers::openai_chat {

namespace {

constexpr std::size_t message_bytes_max = 2000;

// Without a Retry-After the limit that is used up says when it is full again.
std::optional<std::int64_t> until_reset(const http_head& head) {
  std::optional<std::int64_t> longest;
  for (std::string_view limit : {"requests", "tokens"}) {
    auto reset = parse_duration(head.find("x-ratelimit-reset-" + std::string(limit)).value_or(""));
    if (reset && head.find("x-ratelimit-remaining-" + std::string(limit)) == "0")
      longest = std::max(*reset, longest.value_or(0));
  }
  return longest;
}

// The service's document, or one of those that frameworks in front of a server write.
std::optional<told_error> explanation(std::string_view body) {
  auto parsed = json::parse(body);
  if (!parsed)
    return std::nullopt;
  if (auto told = error_in(*parsed))
    return told;
  for (std::string_view key : {"message", "detail"})
    if (auto text = string_at(&*parsed, key); !text.empty())
      return told_error{{}, {}, std::move(text)};
  return std::nullopt;
}

} // namespace

std::optional<std::int64_t> parse_duration(std::string_view text) {
  double total = 0;
  bool any = false;
  while (!text.empty()) {
    double amount = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), amount);
    if (error != std::errc{} || !(amount >= 0))
      return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    auto unit = text.substr(0, text.find_first_of("0123456789."));
    auto milliseconds = unit == "ms" ? 1.0
        : unit == "s"                ? 1e3
        : unit == "m"                ? 6e4
        : unit == "h"                ? 3.6e6
                                     : 0.0;
    total += amount * milliseconds;
    if (milliseconds == 0.0 || total > 2147483647.0)
      return std::nullopt;
    text.remove_prefix(unit.size());
    any = true;
  }
  return any ? std::optional(static_cast<std::int64_t>(total)) : std::nullopt;
}

result<wire_request> format::write(const inference_request& request) const {
  auto body = write_body(request);
  if (!body)
    return body.error();
  return wire_request{"/chat/completions",
      {{"content-type", "application/json"}, {"accept", "text/event-stream"}}, std::move(*body)};
}

wire_request format::list_models() const { return {"/models", {}, {}}; }

std::unique_ptr<decoder> format::make_decoder(const http_head& head) const {
  if (head.media_type() == "application/json")
    return std::make_unique<whole_decoder>();
  return std::make_unique<stream_decoder>();
}

// The status says whether another attempt may help; the document only where it knows better.
wire_error format::read_error(const http_head& head, std::string_view body) const {
  auto now =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
          .count();
  wire_error error{failure_of_status(head.status, head, unexplained(body)), retry_after(head, now)};
  if (head.status == 429 && !error.retry_after_ms)
    error.retry_after_ms = until_reset(head);
  auto told = explanation(body);
  if (!told)
    return error;
  auto meant = failure_of(*told);
  if (meant.code == "quota" || meant.code == "context_overflow"
      || (error.error.code == "unknown" && meant.code == "invalid_request")) {
    error.error.code = meant.code;
    error.error.retryable = false;
  }
  auto name = told->code.empty() ? told->type : told->code;
  error.error.message = name + (name.empty() || told->message.empty() ? "" : ": ")
      + std::string(utf8_prefix(told->message, message_bytes_max));
  return error;
}

std::unique_ptr<provider> make_provider(http_provider_settings settings) {
  return std::make_unique<http_provider>(std::move(settings), std::make_unique<format>());
}

} // namespace troupe::providers::openai_chat
