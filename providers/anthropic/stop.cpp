// What the service's words for ends and errors stand for.
#include "providers/anthropic/decode.hpp"

namespace troupe::providers::anthropic {

std::string stream_decoder::stop_name() const {
  if (stop_raw_ == "model_context_window_exceeded")
    return "context_window";
  return *stop_raw_; // the other names are ours too; a new one is kept as it is
}

failure failure_of_type(std::string_view type, std::string_view error_code, std::string message) {
  failure failed{"unknown", std::nullopt, false, std::move(message)};
  if (error_code == "enforced_spend_limit_reached" || error_code == "contract_spend_limit_reached"
      || type == "billing_error") {
    failed.code = "quota";
  } else if (type == "overloaded_error") {
    failed = {"overloaded", std::nullopt, true, std::move(failed.message)};
  } else if (type == "rate_limit_error" || type == "conflict_error") {
    failed = {"rate_limit", std::nullopt, true, std::move(failed.message)};
  } else if (type == "api_error") {
    failed = {"api_5xx", std::nullopt, true, std::move(failed.message)};
  } else if (type == "timeout_error") {
    failed = {"timeout", std::nullopt, true, std::move(failed.message)};
  } else if (type == "invalid_request_error") {
    // the service has no stable code for this one
    failed.code = failed.message.starts_with("prompt is too long") ? "context_overflow" : "invalid_request";
  } else if (type == "authentication_error" || type == "permission_error" || type == "not_found_error"
      || type == "request_too_large") {
    failed.code = "invalid_request";
  }
  return failed;
}

} // namespace troupe::providers::anthropic
