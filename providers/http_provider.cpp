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

/// One that waits for its key before anything is sent.
class waiting_attempt final : public attempt {
 public:
  waiting_attempt(http_request request, event_sink sink)
      : request_(std::move(request)), sink_(std::move(sink)) {}

  void acknowledge(std::size_t batches) override {
    const std::lock_guard lock(mutex_);
    if (begun_)
      begun_->acknowledge(batches);
  }
  void cancel() override {
    std::unique_lock lock(mutex_);
    if (begun_)
      return begun_->cancel();
    if (!sink_)
      return;
    const auto sink = std::exchange(sink_, nullptr);
    lock.unlock();
    attempt_finished end;
    end.state = inference_state::cancelled;
    sink({std::move(end)});
  }
  /// Goes on as `next` says, unless it was cancelled.
  template <class Next> void go_on(Next next) {
    const std::lock_guard lock(mutex_);
    if (sink_)
      begun_ = next(std::move(request_), std::exchange(sink_, nullptr));
  }

 private:
  std::mutex mutex_;
  http_request request_;
  event_sink sink_; ///< empty: it was cancelled, or has begun
  std::shared_ptr<attempt> begun_;
};

} // namespace

http_provider::http_provider(http_provider_settings settings, std::unique_ptr<wire_format> format)
    : settings_(std::move(settings)), format_(std::move(format)),
      address_(parse_base_url(settings_.base_url)), client_({.max_concurrent = settings_.max_concurrent,
                                                        .idle_connections_max = settings_.max_concurrent,
                                                        .credit = settings_.credit,
                                                        .tls = settings_.tls}),
      keys_(std::make_shared<key_keeper>(settings_.credentials)) {}

http_provider::~http_provider() { keys_->close(); }

result<http_request> http_provider::prepare(result<wire_request> written) const {
  if (!address_)
    return address_.error();
  if (!written)
    return written.error();
  http_request out;
  out.to = address_->to;
  out.target = address_->path + written->target;
  out.fields = std::move(written->fields);
  out.body = std::move(written->body);
  out.timeouts.connect = settings_.connect_timeout;
  out.timeouts.first_byte = settings_.first_byte_timeout;
  out.timeouts.idle = settings_.idle_timeout;
  return out;
}

std::shared_ptr<attempt> http_provider::start(inference_request request, event_sink sink) {
  auto prepared = prepare(format_->write(request));
  if (!prepared)
    return fail(prepared.error(), std::move(sink));
  if (const auto key = keys_->at_hand())
    return *key ? send(std::move(*prepared), **key, std::move(sink)) : fail(key->error(), std::move(sink));
  const auto made = std::make_shared<waiting_attempt>(std::move(*prepared), std::move(sink));
  keys_->ask([this, made](const result<key_keeper::found>& key) {
    made->go_on([&](http_request ready, event_sink to) {
      return key ? send(std::move(ready), *key, std::move(to)) : fail(key.error(), std::move(to));
    });
  });
  return made;
}

std::shared_ptr<attempt> http_provider::fail(const problem& why, event_sink sink) {
  // a key that may be had in a moment, by a program or a network that fails now, is no broken request
  const bool may_pass = why.code == problem_code::unavailable;
  auto message = "provider " + settings_.name + ": " + why.detail;
  client_.post([sink = std::move(sink), message = std::move(message), may_pass] {
    sink({ended_by({may_pass ? "unknown" : "invalid_request", std::nullopt, may_pass, message})});
  });
  return std::make_shared<failed_attempt>();
}

std::shared_ptr<attempt> http_provider::send(
    http_request request, const key_keeper::found& key, event_sink sink) {
  if (!key.key.empty())
    request.fields.push_back(format_->authorize(key.key));
  auto reader = std::make_shared<answer_reader>(
      settings_.name, format_, settings_.frame_bytes_max, key.key, watching(key, std::move(sink)));
  return std::make_shared<http_attempt>(client_.send(std::move(request), std::move(reader)));
}

// A key that a command gave may have been replaced since.
event_sink http_provider::watching(const key_keeper::found& key, event_sink sink) const {
  if (!settings_.credentials.command)
    return sink;
  return [keys = keys_, key, sink = std::move(sink)](std::vector<stream_event> events) {
    auto* const end = std::get_if<attempt_finished>(&events.back());
    if (end && end->error && (end->error->status == 401 || end->error->status == 403))
      end->another_key = keys->refused(key);
    sink(std::move(events));
  };
}

namespace {

/// The head of an answer, or why there is none; its body is of no interest.
class first_line_reader final : public http_reader {
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
  auto prepared = prepare(format_->list_models());
  if (!prepared)
    return prepared.error();
  const auto looked_up = resolve(settings_.credentials);
  if (!looked_up)
    return looked_up.error();
  const secret& key = *looked_up;
  if (!key.empty())
    prepared->fields.push_back(format_->authorize(key));
  prepared->method = "GET";
  auto& timeouts = prepared->timeouts;
  timeouts.connect = timeouts.first_byte = timeouts.idle = timeouts.total = patience;
  const auto reader = std::make_shared<first_line_reader>();
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
