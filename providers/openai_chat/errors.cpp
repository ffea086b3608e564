// Error documents, and what their words stand for.
#include "providers/openai_chat/decode.hpp"
#include "providers/retry.hpp"

#include <algorithm>

namespace troupe::providers::openai_chat {

namespace {

struct meaning {
  std::string_view word; ///< a `type` or `code`
  std::string_view code; ///< ours
  bool retryable = false;
};

constexpr meaning meanings[] = {
    {"insufficient_quota", "quota"},
    {"billing_hard_limit_reached", "quota"},
    {"billing_not_active", "quota"},
    {"context_length_exceeded", "context_overflow"},
    {"exceed_context_size_error", "context_overflow"},
    {"rate_limit_exceeded", "rate_limit", true},
    {"rate_limit_error", "rate_limit", true},
    {"requests", "rate_limit", true},
    {"tokens", "rate_limit", true},
    {"slow_down", "overloaded", true},
    {"overloaded_error", "overloaded", true},
    {"unavailable_error", "overloaded", true},
    {"server_error", "api_5xx", true},
    {"api_error", "api_5xx", true},
    {"InternalServerError", "api_5xx", true},
    {"timeout_error", "timeout", true},
    {"invalid_request_error", "invalid_request"},
    {"invalid_api_key", "invalid_request"},
    {"authentication_error", "invalid_request"},
    {"permission_error", "invalid_request"},
    {"not_found_error", "invalid_request"},
    {"model_not_found", "invalid_request"},
    {"BadRequestError", "invalid_request"},
};

std::string scalar_at(const json::value& in, std::string_view key) {
  const auto* found = in.find(key);
  if (found == nullptr)
    return {};
  return found->is(json::kind::number) ? std::string(found->source()) : found->as_string();
}

} // namespace

// `{"error": {…}}`, `{"error": "text"}`, `{"object": "error", …}`.
std::optional<told_error> error_in(const json::value& document) {
  const auto* error = document.find("error");
  if (error == nullptr || error->is(json::kind::null)) {
    if (string_at(&document, "object") != "error")
      return std::nullopt;
    error = &document;
  }
  if (error->is(json::kind::string))
    return told_error{{}, {}, error->as_string()};
  return told_error{string_at(error, "type"), scalar_at(*error, "code"), string_at(error, "message")};
}

failure failure_of(const told_error& told) {
  failure failed{"unknown", std::nullopt, false, told.message};
  // servers that have no code for it say it in these words
  if (told.message.find("maximum context length") != std::string::npos) {
    failed.code = "context_overflow";
    return failed;
  }
  for (const auto& word : {told.code, told.type})
    for (const auto& [known, code, retryable] : meanings)
      if (word == known) {
        failed.code = code;
        failed.retryable = retryable;
        return failed;
      }
  auto is_status = told.code.size() == 3
      && std::all_of(told.code.begin(), told.code.end(), [](char c) { return c >= '0' && c <= '9'; });
  return is_status ? failure_of_status(std::stoi(told.code), {}, told.message) : failed;
}

} // namespace troupe::providers::openai_chat
