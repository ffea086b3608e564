// The gym's shared part: who is connected, who is held, what was asked.
#include "providers/gym/server.hpp"

#include "messages/text.hpp"
#include "providers/gym/server_core.hpp"

#include <algorithm>
#include <utility>

namespace troupe::providers::gym {

namespace {
constexpr std::size_t holds_max = 10'000;
constexpr std::size_t body_kept_max = std::size_t{1} << 20;
} // namespace

void server::core::accept(std::shared_ptr<transport> stream) {
  if (closed)
    return stream->close();
  auto made = std::make_shared<connection>(shared_from_this(), std::move(stream));
  connections.insert(made);
  {
    std::lock_guard guard(mutex);
    open = connections.size();
  }
  made->start();
}

void server::core::forget(const std::shared_ptr<connection>& one) {
  connections.erase(one);
  std::lock_guard guard(mutex);
  open = connections.size();
  changed.notify_all();
}

std::int64_t server::core::record(const http_head& head, std::string_view body) {
  std::lock_guard guard(mutex);
  kept.push_back({++asked, head.method, std::string(utf8_prefix(head.target, 200)),
      std::string(body.substr(0, body_kept_max + 1))});
  kept_bytes += kept.back().body.size();
  while (kept.size() > requests_kept_max || kept_bytes > requests_kept_bytes_max) {
    kept_bytes -= kept.front().body.size();
    kept.pop_front();
  }
  changed.notify_all();
  return asked;
}

std::string server::core::requests() const {
  std::lock_guard guard(mutex);
  json::writer out;
  out.begin_array();
  for (const auto& one : kept) {
    out.begin_object()
        .key("n")
        .number(one.number)
        .field("method", one.method)
        .field("path", to_utf8(one.path))
        .key("body");
    if (auto lawful = json::compact(one.body))
      out.raw_text(lawful->text.text);
    else
      out.string(utf8_prefix(to_utf8(one.body), 1000));
    out.end_object();
  }
  out.end_array();
  return out.take();
}

std::size_t server::core::release(const std::string& name) {
  std::vector<std::weak_ptr<connection>> waiting;
  {
    std::lock_guard guard(mutex);
    if (holds.size() >= holds_max && holds.count(name) == 0)
      return 0;
    auto& at = holds[name];
    waiting = std::exchange(at.waiting, {});
    at.released = waiting.empty();
    if (!at.released)
      holds.erase(name);
  }
  loop->post([waiting] {
    for (const auto& one : waiting)
      if (auto alive = one.lock())
        alive->go_on();
  });
  return waiting.size();
}

bool server::core::held(const std::string& name, const std::shared_ptr<connection>& one) {
  std::lock_guard guard(mutex);
  auto& at = holds[name];
  if (at.released) {
    holds.erase(name);
    return false;
  }
  std::erase_if(at.waiting, [](const auto& other) { return other.expired(); });
  at.waiting.push_back(one);
  changed.notify_all();
  return true;
}

server::server() : core_(std::make_shared<core>()) {}

result<std::unique_ptr<server>> server::start(server_settings settings) {
  std::unique_ptr<server> made(new server());
  auto& shared = *made->core_;
  shared.host = settings.host == "localhost" ? "127.0.0.1" : settings.host;
  shared.rules = std::move(settings.rules);
  shared.loop = std::make_unique<io_loop>();
  auto listening = shared.loop->listen(
      settings.host, settings.port, [core = std::weak_ptr(made->core_)](std::shared_ptr<transport> stream) {
        if (auto alive = core.lock())
          alive->accept(std::move(stream));
      });
  if (!listening)
    return listening.error();
  shared.listening = *listening;
  return made;
}

server::~server() { stop(); }

void server::stop() {
  if (!core_->loop || std::exchange(core_->stopped, true))
    return;
  core_->loop->post([core = core_.get()] {
    core->closed = true;
    if (core->listening)
      core->listening->close();
    auto open = core->connections;
    for (const auto& one : open)
      one->close();
  });
  core_->loop->stop();
}

std::uint16_t server::port() const { return core_->listening ? core_->listening->port() : std::uint16_t{0}; }

std::string server::base_url() const {
  auto host = core_->host.find(':') == std::string::npos ? core_->host : "[" + core_->host + "]";
  return "http://" + host + ":" + std::to_string(port());
}

std::size_t server::release(const std::string& name) { return core_->release(name); }

bool server::wait_until_held(const std::string& name, std::chrono::milliseconds patience) {
  std::unique_lock guard(core_->mutex);
  return core_->changed.wait_for(guard, patience, [&] {
    auto found = core_->holds.find(name);
    return found != core_->holds.end()
        && std::any_of(found->second.waiting.begin(), found->second.waiting.end(),
            [](const auto& one) { return !one.expired(); });
  });
}

bool server::wait_for_requests(std::size_t count, std::chrono::milliseconds patience) {
  std::unique_lock guard(core_->mutex);
  return core_->changed.wait_for(
      guard, patience, [&] { return core_->asked >= static_cast<std::int64_t>(count); });
}

std::string server::requests() const { return core_->requests(); }

std::size_t server::connections() const {
  std::lock_guard guard(core_->mutex);
  return core_->open;
}

} // namespace troupe::providers::gym
