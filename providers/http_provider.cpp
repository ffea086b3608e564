// Attempts over HTTP: from the request to the one event that ends them.
#include "providers/http_provider.hpp"

#include "messages/text.hpp"

#include <boost/url/parse.hpp>

#include <algorithm>
#include <charconv>

namespace troupe::providers {

namespace {

/// What is shown of an answer that isn't what it should be.
constexpr std::size_t excerpt_bytes = 300;

std::string excerpt(std::string_view body) {
  auto text = to_utf8(body.substr(0, excerpt_bytes + 3));
  std::string shown(utf8_prefix(text, excerpt_bytes));
  std::replace_if(
      shown.begin(), shown.end(), [](unsigned char c) { return c < 0x20; }, ' ');
  return body.size() > excerpt_bytes ? shown + "…" : shown;
}

attempt_finished ended_by(failure error) {
  attempt_finished end;
  end.state = inference_state::error;
  end.error = std::move(error);
  return end;
}

failure failure_of(const http_failure& failed, const std::string& provider) {
  auto message = "provider " + provider + ": " + failed.detail;
  switch (failed.what) {
  case http_failure::kind::timeout:
    return {"timeout", std::nullopt, true, std::move(message)};
  case http_failure::kind::connect:
  case http_failure::kind::network:
  case http_failure::kind::truncated:
    return {"network", std::nullopt, true, std::move(message)};
  case http_failure::kind::protocol:
  case http_failure::kind::cancelled:
    break;
  }
  return {"unknown", std::nullopt, false, std::move(message)};
}

/// The reader of one answer: the sink's side of the HTTP exchange.
class answer_reader final : public http_reader {
 public:
  answer_reader(std::string name, std::shared_ptr<const wire_format> format, secret key, event_sink sink)
      : name_(std::move(name)), format_(std::move(format)), key_(std::move(key)), sink_(std::move(sink)) {}

  void on_head(const http_head& head) override {
    head_ = head;
    auto type = head.media_type();
    if (head.status >= 200 && head.status <= 299
        && (type == "text/event-stream" || type == "application/json"))
      decoder_ = format_->make_decoder(head);
  }

  http_taken on_body(std::string_view bytes) override {
    if (!decoder_) {
      body_.append(bytes.substr(0, error_body_bytes_max - std::min(error_body_bytes_max, body_.size())));
      return {.stop = body_.size() >= error_body_bytes_max && stop_here()};
    }
    std::vector<stream_event> events;
    if (!decoder_->feed(bytes, events)) {
      decoder_->finish(std::nullopt, events);
      tell(std::move(events));
      return {.stop = true};
    }
    auto complete = decoder_->complete();
    if (events.empty())
      return {.complete = complete};
    tell(std::move(events));
    return {.used_credit = true, .complete = complete};
  }

  void on_end(std::optional<http_failure> failed) override {
    if (failed && failed->what == http_failure::kind::cancelled)
      return end_cancelled();
    if (!decoder_)
      return tell({failed && head_.status == 0 ? ended_by(failure_of(*failed, name_)) : refused()});
    std::vector<stream_event> events;
    std::optional<failure> cut;
    if (failed)
      cut = failure_of(*failed, name_);
    decoder_->finish(std::move(cut), events);
    tell(std::move(events));
  }

 private:
  bool stop_here() {
    tell({refused()});
    return true;
  }

  // An abort that comes in time keeps what is known of the usage.
  void end_cancelled() {
    std::vector<stream_event> events;
    attempt_finished end;
    if (decoder_) {
      decoder_->finish(failure{"unknown", std::nullopt, false, "cancelled"}, events);
      end = std::get<attempt_finished>(std::move(events.back()));
    }
    end.state = inference_state::cancelled;
    end.stop.reset();
    end.stop_raw.reset();
    end.error.reset();
    tell({std::move(end)});
  }

  /// The end of an attempt whose answer is no stream of ours.
  attempt_finished refused() const {
    if (head_.status < 200 || head_.status > 299) {
      auto error = format_->read_error(head_, body_);
      if (head_.status >= 300 && head_.status <= 399)
        error.error.message =
            "redirects are refused, since the key would go along; set base_url to the final address ("
            + excerpt(head_.find("location").value_or("no location given")) + ")";
      error.error.message =
          "provider " + name_ + " answered " + std::to_string(head_.status) + ": " + error.error.message;
      auto end = ended_by(std::move(error.error));
      end.retry_after_ms = error.retry_after_ms;
      return end;
    }
    auto type = head_.media_type();
    return ended_by({"network", head_.status, true,
        "provider " + name_ + " answered " + std::to_string(head_.status) + " with "
            + (type.empty() ? "no content type" : excerpt(type))
            + " instead of an event stream; a proxy may stand between: " + excerpt(body_)});
  }

  void tell(std::vector<stream_event> events) {
    if (auto* end = std::get_if<attempt_finished>(&events.back()); end != nullptr && end->error)
      end->error->message = key_.redact(std::move(end->error->message));
    sink_(std::move(events));
  }

  std::string name_;
  std::shared_ptr<const wire_format> format_;
  secret key_;
  event_sink sink_;
  http_head head_;
  std::unique_ptr<decoder> decoder_;
  std::string body_;
};

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

result<base_address> parse_base_url(std::string_view url) {
  auto refuse = [&](std::string rule) {
    return problem{problem_code::invalid_input,
        "base_url \"" + std::string(utf8_prefix(to_utf8(url), 200)) + "\" " + std::move(rule)
            + "; write it as https://HOST, with a port and a path if need be",
        {}};
  };
  auto parsed = boost::urls::parse_uri(url);
  if (!parsed)
    return refuse("is no URL");
  if (parsed->has_userinfo())
    return problem{problem_code::invalid_input,
        "base_url holds a user or a password; take them out and give the key as api_key_env", {}};
  base_address address;
  address.to.tls = parsed->scheme() == "https";
  if (!address.to.tls && parsed->scheme() != "http")
    return refuse("is neither http nor https");
  if (parsed->has_query() || parsed->has_fragment())
    return refuse("has a query or a fragment");
  address.to.host = parsed->host_address();
  if (address.to.host.empty())
    return refuse("names no host");
  address.to.port = address.to.tls ? 443 : 80;
  if (parsed->has_port() && !parsed->port().empty()) {
    auto digits = parsed->port();
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), address.to.port);
    if (error != std::errc{} || address.to.port == 0)
      return refuse("has a port outside 1 to 65535");
  }
  address.path = std::string(parsed->encoded_path());
  while (address.path.ends_with('/'))
    address.path.pop_back();
  return address;
}

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
  auto reader = std::make_shared<answer_reader>(settings_.name, format_, std::move(key), std::move(sink));
  return std::make_shared<http_attempt>(client_.send(std::move(*prepared), std::move(reader)));
}

} // namespace troupe::providers
