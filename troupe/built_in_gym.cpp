// A server and the client that speaks to it.
#include "troupe/built_in_gym.hpp"

#include "providers/anthropic/format.hpp"
#include "providers/gym/server.hpp"

namespace troupe::library {

namespace {

// What never began.
class nothing final : public providers::attempt {
 public:
  void acknowledge(std::size_t) override {}
  void cancel() override {}
};

} // namespace

built_in_gym::built_in_gym() = default;
built_in_gym::~built_in_gym() = default;

std::shared_ptr<providers::attempt> built_in_gym::start(
    providers::inference_request request, providers::event_sink sink) {
  const std::lock_guard lock(mutex_);
  if (!client_) {
    auto server = providers::gym::server::start({});
    if (!server) {
      providers::attempt_finished failed;
      failed.state = inference_state::error;
      failed.error = failure{
          "network", std::nullopt, false, "the built-in gym could not be started: " + server.error().detail};
      sink({failed});
      return std::make_shared<nothing>();
    }
    server_ = std::move(*server);
    providers::http_provider_settings settings;
    settings.name = "gym";
    settings.base_url = server_->base_url();
    client_ = providers::anthropic::make_provider(std::move(settings));
  }
  return client_->start(std::move(request), std::move(sink));
}

} // namespace troupe::library
