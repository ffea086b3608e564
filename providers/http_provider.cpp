// Attempts over HTTP: from the request to the one event that ends them.
#include "providers/http_provider.hpp"

#include "providers/answer_reader.hpp"

#include <future>

namespace troupe::providers {

namespace {

class http_attempt final : public attempt {
 public:
  explicit http_attempt(std::shared_ptr<http_exchange> exchange) : exchange_(std::move(exchange)) {}
  void acknowledge(std::size_t batches) override { exchange_->acknowledge(batches); }
  void cancel() override { exchange_->cancel(); }

 private:
  std::shared_ptr<http_exchange> exchange_;
};

/// An attempt that could not be made.
class failed_attempt final : public attempt {
 public:
  void acknowledge(std::size_t) override {}
  void cancel() override {}
};

} // namespace

http_provider::http_provider(http_provider_settings settings, std::unique_ptr<wire_format> format)
    : settings_(std::move(settings)), format_(std::move(format)),
      address_(parse_base_url(settings_.base_url)), client_({.max_concurrent = settings_.max_concurrent,
                                                        .idle_connections_max = settings_.max_concurrent,
                                                        .credit = settings_.credit,
                                                        .tls = settings_.tls}) {}

http_provider::~http_provider() = default;

result<http_request> http_provider::prepare(result<wire_request> written, secret& key) const {
  if (!address_)
    return address_.error();
  auto resolved = resolve(settings_.credentials);
  if (!resolved)
    return resolved.error();
  key = *resolved;
  if (!written)
    return written.error();
  http_request out;
  out.to = address_->to;
  out.target = address_->path + written->target;
  out.fields = std::move(written->fields);
  if (!key.empty())
    out.fields.push_back(format_->authorize(key));
  out.body = std::move(written->body);
  out.timeouts.connect = settings_.connect_timeout;
  out.timeouts.first_byte = settings_.first_byte_timeout;
  out.timeouts.idle = settings_.idle_timeout;
  return out;
}

std::shared_ptr<attempt> http_provider::start(inference_request request, event_sink sink) {
  secret key;
  auto prepared = prepare(format_->write(request), key);
  if (!prepared) {
    auto message = key.redact("provider " + settings_.name + ": " + prepared.error().detail);
    client_.post([sink = std::move(sink), message = std::move(message)] {
      sink({ended_by({"invalid_request", std::nullopt, false, message})});
    });
    return std::make_shared<failed_attempt>();
  }
  auto reader = std::make_shared<answer_reader>(
      settings_.name, format_, settings_.frame_bytes_max, std::move(key), std::move(sink));
  return std::make_shared<http_attempt>(client_.send(std::move(*prepared), std::move(reader)));
}

namespace {

/// The head of an answer, or why there is none; its body is of no interest.
class head_reader final : public http_reader {
 public:
  using told = std::variant<http_head, http_failure>;
  std::future<told> head() { return head_.get_future(); }
  void on_head(const http_head& head) override {
    head_.set_value(head);
    is_told_ = true;
  }
  http_taken on_body(std::string_view) override { return {.stop = true}; }
  void on_end(std::optional<http_failure> failed) override {
    if (!is_told_)
      head_.set_value(failed.value_or(http_failure{http_failure::kind::network, "no answer came"}));
  }

 private:
  std::promise<told> head_;
  bool is_told_ = false;
};

} // namespace

std::optional<problem> http_provider::examine() {
  constexpr std::chrono::seconds patience{5};
  secret key;
  auto prepared = prepare(format_->list_models(), key);
  if (!prepared)
    return prepared.error();
  prepared->method = "GET";
  auto& timeouts = prepared->timeouts;
  timeouts.connect = timeouts.first_byte = timeouts.idle = timeouts.total = patience;
  const auto reader = std::make_shared<head_reader>();
  auto came = reader->head();
  const auto exchange = client_.send(*std::move(prepared), reader);
  const auto told = came.get();
  exchange->cancel();
  if (const auto* const failed = std::get_if<http_failure>(&told))
    return problem{
        problem_code::unavailable, key.redact(settings_.base_url + " doesn't answer: " + failed->detail), {}};
  const int status = std::get<http_head>(told).status;
  if (status == 401 || status == 403)
    return problem{problem_code::invalid_input,
        settings_.base_url + (key.empty() ? " wants a key" : " refuses the key") + " (HTTP "
            + std::to_string(status) + ")",
        {}};
  if (status < 200 || status > 299)
    return problem{problem_code::unavailable,
        settings_.base_url + " answers HTTP " + std::to_string(status)
            + " where its models should be listed; is the base_url right?",
        {}};
  return std::nullopt;
}

} // namespace troupe::providers
