// The server of the tests, and streams that tests push into.
#include "tests/gateway/serving.hpp"

#include "gateway/openapi.hpp"
#include "tests/gateway/plain_routes.hpp"

#include <deque>

namespace troupe::gateway::testing {

namespace {
constexpr std::chrono::seconds patience{20};
}

serving::serving(bounds limits, std::size_t threads) {
  add_plain_routes(routes_);
  const auto wait = [this](const std::shared_ptr<exchange>& one, const matched&) {
    one->when_gone([this] {
      std::lock_guard guard(mutex_);
      ++gone_;
      changed_.notify_all();
    });
    std::lock_guard guard(mutex_);
    later_.push_back(one);
    changed_.notify_all();
  };
  routes_.add({.method = "GET", .path = "/v1/later", .summary = "Waits", .carry_out = wait});
  routes_.add({.method = "POST",
      .path = "/v1/later",
      .summary = "Waits",
      .body = body_of<json::raw>("any"),
      .carry_out = wait});
  routes_.add({.method = "GET",
      .path = "/v1/events",
      .summary = "Events",
      .carry_out = [this](const auto& one, const auto&) { one->stream(events.source()); }});
  add_openapi(routes_, "1.2.3");
  auto started = listener::start({.port = 0, .threads = threads, .limits = limits},
      [this](std::shared_ptr<exchange> one) { routes_(std::move(one)); });
  if (!started)
    throw std::runtime_error(started.error().detail);
  server_ = std::move(*started);
}

serving::~serving() { server_->stop(); }

std::shared_ptr<exchange> serving::take_later() {
  std::unique_lock guard(mutex_);
  if (!changed_.wait_for(guard, patience, [&] { return !later_.empty(); }))
    return nullptr;
  auto out = std::move(later_.back());
  later_.pop_back();
  return out;
}

bool serving::wait_gone() {
  std::unique_lock guard(mutex_);
  return changed_.wait_for(guard, patience, [&] { return gone_ > 0; });
}

struct pushed_events::state {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::string> waiting;
  bool ended = false;
  bool endless = false;
  std::size_t pulled = 0;
  int sources = 0;
  int released = 0;
  std::function<void()> wake;
};

namespace {

class pushed_source final : public stream_source {
 public:
  explicit pushed_source(std::shared_ptr<pushed_events::state> of) : of_(std::move(of)) {}
  ~pushed_source() override {
    std::lock_guard guard(of_->mutex);
    ++of_->released;
    of_->wake = {};
    of_->changed.notify_all();
  }
  stream_state pull(std::string& out, std::size_t bytes_about) override {
    std::lock_guard guard(of_->mutex);
    const std::size_t before = out.size();
    if (of_->endless)
      out.append(bytes_about, 'e');
    while (!of_->waiting.empty() && out.size() - before < bytes_about) {
      out += of_->waiting.front();
      of_->waiting.pop_front();
    }
    of_->pulled += out.size() - before;
    of_->changed.notify_all();
    if (of_->endless || !of_->waiting.empty())
      return stream_state::more;
    return of_->ended ? stream_state::ended : stream_state::waiting;
  }
  void set_wake(std::function<void()> wake) override {
    std::lock_guard guard(of_->mutex);
    of_->wake = std::move(wake);
  }

 private:
  std::shared_ptr<pushed_events::state> of_;
};

} // namespace

std::shared_ptr<pushed_events::state> pushed_events::make_state() { return std::make_shared<state>(); }

void pushed_events::push(std::string event) {
  std::lock_guard guard(state_->mutex);
  state_->waiting.push_back(std::move(event));
  if (state_->wake)
    state_->wake();
}

void pushed_events::end() {
  std::lock_guard guard(state_->mutex);
  state_->ended = true;
  if (state_->wake)
    state_->wake();
}

void pushed_events::make_endless() {
  std::lock_guard guard(state_->mutex);
  state_->endless = true;
}

std::shared_ptr<stream_source> pushed_events::source() {
  {
    std::lock_guard guard(state_->mutex);
    ++state_->sources;
  }
  return std::make_shared<pushed_source>(state_);
}

std::size_t pushed_events::pulled_bytes() {
  std::lock_guard guard(state_->mutex);
  return state_->pulled;
}

bool pushed_events::wait_released() {
  std::unique_lock guard(state_->mutex);
  return state_->changed.wait_for(
      guard, patience, [&] { return state_->sources > 0 && state_->released == state_->sources; });
}

bool pushed_events::wait_pulled(std::size_t bytes) {
  std::unique_lock guard(state_->mutex);
  return state_->changed.wait_for(guard, patience, [&] { return state_->pulled >= bytes; });
}

} // namespace troupe::gateway::testing
