// The client's shared part: who is under way, who waits, and the connections kept for later.
#include "providers/http_exchange.hpp"

#include <algorithm>

namespace troupe::providers {

void http_client::core::begin(std::shared_ptr<exchange> next) {
  if (closed)
    return next->end(http_failure{http_failure::kind::cancelled, {}});
  if (active.size() >= settings.max_concurrent) {
    waiting.push_back(std::move(next));
    return;
  }
  auto& one = *next;
  active.emplace(&one, std::move(next));
  one.start();
}

void http_client::core::ended(exchange& one) {
  if (active.erase(&one) == 0) {
    std::erase_if(waiting, [&](const auto& other) { return other.get() == &one; });
    return;
  }
  if (waiting.empty() || closed)
    return;
  // not from within the one that ends: a row of failures would nest
  if (auto running = loop.lock())
    running->post([self = shared_from_this()] { self->begin_waiting(); });
}

void http_client::core::begin_waiting() {
  while (!waiting.empty() && active.size() < settings.max_concurrent) {
    auto next = std::move(waiting.front());
    waiting.pop_front();
    begin(std::move(next));
  }
}

std::shared_ptr<transport> http_client::core::take_idle(const endpoint& to) {
  auto found = idle.find(to);
  if (found == idle.end())
    return nullptr;
  auto oldest = std::chrono::steady_clock::now() - settings.idle_connection_age;
  while (!found->second.empty()) {
    auto one = std::move(found->second.back());
    found->second.pop_back();
    if (one.since >= oldest && one.stream->is_quiet())
      return std::move(one.stream);
    one.stream->close();
  }
  idle.erase(found);
  return nullptr;
}

void http_client::core::give_back(const endpoint& to, std::shared_ptr<transport> stream) {
  auto& kept = idle[to];
  if (closed || kept.size() >= settings.idle_connections_max)
    return stream->close();
  stream->expire_at(transport::never);
  kept.push_back({std::move(stream), std::chrono::steady_clock::now()});
  if (!sweep)
    sweep_later();
}

void http_client::core::sweep_later() {
  if (auto running = loop.lock())
    sweep = running->after(settings.idle_connection_age, [self = weak_from_this()] {
      if (auto alive = self.lock())
        alive->drop_old();
    });
}

void http_client::core::drop_old() {
  sweep.reset();
  auto oldest = std::chrono::steady_clock::now() - settings.idle_connection_age;
  auto left = std::size_t{0};
  for (auto& [to, kept] : idle) {
    std::erase_if(kept, [&](const idle_connection& one) {
      auto drop = one.since < oldest || !one.stream->is_quiet();
      if (drop)
        one.stream->close();
      return drop;
    });
    left += kept.size();
  }
  std::erase_if(idle, [](const auto& host) { return host.second.empty(); });
  if (left > 0)
    sweep_later();
}

void http_client::core::close() {
  closed = true;
  if (sweep)
    sweep->cancel();
  sweep.reset();
  auto unserved = std::exchange(waiting, {});
  for (auto& one : unserved)
    one->end(http_failure{http_failure::kind::cancelled, {}});
  while (!active.empty()) {
    auto one = active.begin()->second;
    one->end(http_failure{http_failure::kind::cancelled, {}});
  }
  for (auto& [to, kept] : idle)
    for (auto& one : kept)
      one.stream->close();
  idle.clear();
}

http_client::http_client(http_client_settings settings)
    : loop_(std::make_shared<io_loop>(settings.tls)), core_(std::make_shared<core>()) {
  core_->settings = std::move(settings);
  core_->settings.max_concurrent = std::max<std::size_t>(1, core_->settings.max_concurrent);
  core_->loop = loop_;
}

http_client::~http_client() {
  loop_->post([core = core_] { core->close(); });
  loop_->stop();
}

std::shared_ptr<http_exchange> http_client::send(http_request request, std::shared_ptr<http_reader> reader) {
  auto made = std::make_shared<exchange>(core_, std::move(request), std::move(reader));
  loop_->post([core = core_, made] {
    if (!made->is_done())
      core->begin(made);
  });
  return made;
}

void http_client::post(std::function<void()> work) { loop_->post(std::move(work)); }

} // namespace troupe::providers
