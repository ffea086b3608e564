// The blocking calls: the asynchronous ones, waited for.
#include <troupe/agent.hpp>

#include "troupe/running_system.hpp"

#include <algorithm>

namespace troupe {

namespace {

/// However long it takes: asked for again each time.
constexpr std::chrono::hours as_long_as_it_takes{1};

std::chrono::steady_clock::time_point until(std::chrono::milliseconds patience) {
  return std::chrono::steady_clock::now()
      + std::clamp<std::chrono::milliseconds>(patience, {}, as_long_as_it_takes);
}

/// The answer of a call by continuation; throws where it is a problem.
template <class T, class Begin> T waited(Begin begin) {
  return actors::waited<T>([&](auto answer) { begin(then<T>(std::move(answer))); }).value();
}

} // namespace

agent::agent(std::shared_ptr<library::running_system> of, std::string id)
    : of_(std::move(of)), id_(std::move(id)) {}

async_agent agent::async() const { return async_agent(*this); }

accepted agent::send(content message, message_settings settings) {
  return waited<accepted>(
      [&](auto tell) { async().send(std::move(message), std::move(settings), std::move(tell)); });
}

accepted agent::steer(content message, message_settings settings) {
  return waited<accepted>(
      [&](auto tell) { async().steer(std::move(message), std::move(settings), std::move(tell)); });
}

accepted agent::post(accept_message message) {
  return waited<accepted>([&](auto tell) { async().post(std::move(message), std::move(tell)); });
}

void agent::start() {
  waited<standing>([&](auto tell) { async().start(std::move(tell)); });
}

void agent::continue_run() {
  waited<standing>([&](auto tell) { async().continue_run(std::move(tell)); });
}

void agent::abort() {
  waited<standing>([&](auto tell) { async().abort(std::move(tell)); });
}

compacted agent::compact() {
  return waited<compacted>([&](auto tell) { async().compact(std::move(tell)); });
}

void agent::reset() {
  waited<std::int64_t>([&](auto tell) { async().reset(std::move(tell)); });
}

void agent::close() {
  waited<standing>([&](auto tell) { async().close(std::move(tell)); });
}

void agent::update(const json::raw& changes) {
  waited<standing>([&](auto tell) { async().update(changes, std::move(tell)); });
}

std::vector<open_decision> agent::decisions() {
  return waited<std::vector<open_decision>>([&](auto tell) { async().decisions(std::move(tell)); });
}

void agent::allow(const std::string& decision_id, std::optional<json::raw> arguments) {
  waited<standing>([&](auto tell) { async().allow(decision_id, std::move(arguments), std::move(tell)); });
}

void agent::deny(const std::string& decision_id, std::string reason) {
  waited<standing>([&](auto tell) { async().deny(decision_id, std::move(reason), std::move(tell)); });
}

void agent::give_verdict(const std::string& execution_id, verdict what) {
  waited<standing>([&](auto tell) { async().give_verdict(execution_id, what, std::move(tell)); });
}

standing agent::look() {
  return waited<standing>([&](auto tell) { async().look(std::move(tell)); });
}

standing agent::wait_until_idle() {
  while (true)
    if (const auto now = wait_until_idle(as_long_as_it_takes))
      return *now;
}

std::optional<standing> agent::wait_until_idle(std::chrono::milliseconds patience) {
  const auto told_by = until(patience);
  auto now =
      waited<std::optional<standing>>([&](auto tell) { async().wait(false, patience, std::move(tell)); });
  if (now)
    of_->wait_for_text(id_, now->head, told_by);
  return now;
}

std::optional<standing> agent::wait_for_attention(std::chrono::milliseconds patience) {
  const auto told_by = until(patience);
  auto now =
      waited<std::optional<standing>>([&](auto tell) { async().wait(true, patience, std::move(tell)); });
  if (now)
    of_->wait_for_text(id_, now->head, told_by);
  return now;
}

void agent::on_text(std::function<void(std::string_view)> told) {
  of_->follow_text(id_, std::move(told)).value();
}

std::vector<message> agent::context() {
  return waited<std::vector<message>>([&](auto tell) { async().context(std::nullopt, std::move(tell)); });
}

past_agent agent::at(std::int64_t seq) const { return {*this, seq}; }

agent agent::fork(std::int64_t at, std::string id, const json::raw& changes) {
  return waited<agent>([&](auto tell) { async().fork(at, std::move(id), changes, std::move(tell)); });
}

void agent::have_tools(const std::vector<std::string>& names) {
  const auto now = of_->wait<std::shared_ptr<const session::state>>(
                          [&](actors::reception& desk, auto answer) { desk.look(id_, std::move(answer)); })
                       .value();
  if (now->options->tools == names || now->closed)
    return;
  json::writer changes;
  changes.begin_object().key("tools").begin_array();
  for (const auto& name : names)
    changes.string(name);
  update({changes.end_array().end_object().take()});
}

std::vector<message> past_agent::context() const {
  return waited<std::vector<message>>([&](auto tell) { of_.async().context(seq_, std::move(tell)); });
}

agent past_agent::fork(std::string id, const json::raw& changes) const {
  return of_.fork(seq_, std::move(id), changes);
}

} // namespace troupe
