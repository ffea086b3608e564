// OpenAI's side of the gym: its error documents and its list of models.
#include "providers/gym/chat_answer.hpp"
#include "providers/gym/chat_rules.hpp"
#include "providers/gym/service.hpp"

namespace troupe::providers::gym {

namespace {

void nullable(json::writer& out, std::string_view key, const std::string& text) {
  out.key(key);
  if (text.empty())
    out.null();
  else
    out.string(text);
}

class chat final : public service {
 public:
  std::variant<conversation, service_error> read(std::string_view body) const override {
    return read_chat_request(body);
  }
  std::unique_ptr<answer> make_answer(const conversation& asked, std::int64_t number) const override {
    return std::make_unique<chat_answer>(asked, number);
  }
  service_error of_status(int status) const override {
    auto code = status == 401 ? "invalid_api_key"
        : status == 404       ? "model_not_found"
        : status == 429       ? "rate_limit_exceeded"
                              : "";
    auto type = status == 429 ? "requests" : status >= 500 ? "server_error" : "invalid_request_error";
    return {status, type, {}, {}, code};
  }
  service_error unknown_address(std::string_view method, std::string_view path) const override {
    return {404, "invalid_request_error",
        "Invalid URL (" + std::string(method) + " " + std::string(path) + "): " + std::string(addresses), {},
        {}};
  }
  service_error wrong_method(
      std::string_view method, std::string_view path, std::string_view takes) const override {
    return {405, "invalid_request_error",
        "Not allowed to " + std::string(method) + " on " + std::string(path) + ", which takes only "
            + std::string(takes),
        {}, "method_not_supported"};
  }
  std::string document(const service_error& error, std::int64_t) const override {
    json::writer out;
    out.begin_object().key("error").begin_object().field("message", error.message).field("type", error.type);
    nullable(out, "param", error.param);
    nullable(out, "code", error.code);
    out.end_object().end_object();
    return out.take();
  }
  std::string_view models() const override {
    return R"({"object":"list","data":[{"id":"gpt-gym","object":"model","created":1735689600,"owned_by":"troupe"}]})";
  }
  std::string_view request_id_field() const override { return "x-request-id"; }
};

} // namespace

const service& chat_service() {
  static const chat only;
  return only;
}

} // namespace troupe::providers::gym
