// Attempts over HTTP: from the request to the one event that ends them.
#include "providers/http_provider.hpp"

#include "providers/answer_reader.hpp"

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

result<http_request> http_provider::prepare(const inference_request& request, secret& key) const {
  if (!address_)
    return address_.error();
  auto resolved = resolve(settings_.credentials);
  if (!resolved)
    return resolved.error();
  key = *resolved;
  auto written = format_->write(request);
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
  auto prepared = prepare(request, key);
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

} // namespace troupe::providers
