// Anthropic's side of the gym: its error documents and its list of models.
#include "providers/gym/messages_answer.hpp"
#include "providers/gym/messages_rules.hpp"
#include "providers/gym/service.hpp"

namespace troupe::providers::gym {

namespace {

std::string_view error_type_of(int status) {
  switch (status) {
  case 400:
    return "invalid_request_error";
  case 401:
    return "authentication_error";
  case 402:
    return "billing_error";
  case 403:
    return "permission_error";
  case 404:
    return "not_found_error";
  case 408:
    return "timeout_error";
  case 409:
    return "conflict_error";
  case 413:
    return "request_too_large";
  case 429:
    return "rate_limit_error";
  case 504:
    return "timeout_error";
  case 529:
    return "overloaded_error";
  default:
    return status >= 500 ? "api_error" : "invalid_request_error";
  }
}

class messages final : public service {
 public:
  std::variant<conversation, service_error> read(std::string_view body) const override {
    return read_messages_request(body);
  }
  std::unique_ptr<answer> make_answer(const conversation& asked, std::int64_t number) const override {
    return std::make_unique<messages_answer>(asked, number);
  }
  service_error of_status(int status) const override {
    return {status, std::string(error_type_of(status)), {}, {}, {}};
  }
  service_error unknown_address(std::string_view method, std::string_view path) const override {
    auto error = of_status(404);
    error.message = std::string(addresses) + ", not " + std::string(method) + " " + std::string(path);
    return error;
  }
  service_error wrong_method(std::string_view, std::string_view path, std::string_view takes) const override {
    auto error = of_status(405);
    error.message = std::string(path) + " takes only " + std::string(takes);
    return error;
  }
  std::string document(const service_error& error, std::int64_t number) const override {
    json::writer out;
    out.begin_object()
        .field("type", "error")
        .key("error")
        .begin_object()
        .field("type", error.type)
        .field("message", error.message)
        .end_object();
    out.field("request_id", "req_gym_" + std::to_string(number)).end_object();
    return out.take();
  }
  std::string_view models() const override {
    return R"({"data":[{"type":"model","id":"claude-gym","display_name":"The gym's small model",)"
           R"("created_at":"2025-01-01T00:00:00Z"}],)"
           R"("has_more":false,"first_id":"claude-gym","last_id":"claude-gym"})";
  }
  std::string_view request_id_field() const override { return "request-id"; }
};

} // namespace

const service& messages_service() {
  static const messages only;
  return only;
}

} // namespace troupe::providers::gym
