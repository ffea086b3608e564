// Routes, their gate, and the order of leaving.
#include "gateway/server.hpp"

#include "gateway/openapi.hpp"
#include "gateway/origin.hpp"

namespace troupe::gateway {

namespace {

// How long what is asked already may take to be answered, once nothing runs any more.
constexpr std::chrono::seconds last_answers{5};

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

void admit_local(const std::shared_ptr<exchange>& one, const std::function<void(caller)>& admitted) {
  if (!names_loopback(one->asked()) || is_cross_origin(one->asked()))
    return void(one->answer(problem_document(refusal::forbidden,
        "a server without keys answers only to programs on this machine: `Host` must be a loopback address, "
        "and "
        "no page of another origin may ask")));
  admitted({});
}

} // namespace

result<std::unique_ptr<server>> server::start(actors::node& node, server_settings settings) {
  if (!is_loopback(settings.host))
    return problem{problem_code::invalid_input,
        "`" + settings.host
            + "` isn't a loopback address: without keys the server listens on 127.0.0.1 or ::1 only",
        {}};
  std::unique_ptr<server> made(new server);
  made->node_ = &node;
  made->routes_ = std::make_unique<router>(
      [](const std::shared_ptr<exchange>& one, scope, const std::function<void(caller)>& admitted) {
        admit_local(one, admitted);
      });
  const api with{std::make_shared<actors::reception>(node), settings.limits};
  made->held_ = with.held;
  add_session_routes(*made->routes_, with);
  add_message_routes(*made->routes_, with);
  add_run_routes(*made->routes_, with);
  add_event_routes(*made->routes_, with);
  add_decision_routes(*made->routes_, with);
  add_service_routes(*made->routes_, with);
  add_openapi(*made->routes_, settings.version);
  auto listening = listener::start({settings.host, settings.port, 2, settings.http},
      [routes = made->routes_.get()](std::shared_ptr<exchange> one) { (*routes)(std::move(one)); });
  if (!listening)
    return listening.error();
  made->listener_ = *std::move(listening);
  return made;
}

bool server::drain(std::chrono::milliseconds patience) {
  listener_->begin_drain();
  const bool settled = node_->settle(patience);
  held_->turn_away();
  listener_->finish(last_answers);
  listener_->stop();
  return settled;
}

} // namespace troupe::gateway
