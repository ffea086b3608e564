// The thread's loop, its connections and its clock.
#include "gateway/io_thread.hpp"

#include "gateway/connection.hpp"
#include "telemetry/log.hpp"

#include <algorithm>
#include <ctime>

namespace troupe::gateway {

io_thread::io_thread(std::shared_ptr<server_state> state) : state_(std::move(state)) {}
io_thread::~io_thread() { stop(); }

void io_thread::start() {
  thread_ = std::thread([this] { serve(); });
}

// An exception in a handler is a fault of ours in one connection; the others must go on.
void io_thread::serve() {
  id_ = std::this_thread::get_id();
  for (bool done = false; !done;) {
    try {
      context_.run();
      done = true;
    } catch (const std::exception& fault) {
      telemetry::log(telemetry::level::error, "a connection's handler threw", {{"what", fault.what()}});
    }
  }
  id_ = std::thread::id(); // another thread may get it
}

// Nothing is thrown away: with all connections closed and nothing new to come, the loop runs dry.
void io_thread::stop() {
  {
    std::lock_guard guard(mutex_);
    if (std::exchange(stopped_, true))
      return;
    asio::post(context_, [this] {
      winding_up_ = true;
      while (!connections_.empty())
        connections_.back()->close();
      ticks_.cancel();
    });
    guard_.reset();
  }
  if (thread_.joinable())
    thread_.join();
  else
    serve(); // it was never started: what was posted must still go
}

void io_thread::add(tcp_socket socket) {
  auto made = std::make_shared<connection>(shared_from_this(), std::move(socket));
  made->place = connections_.size();
  connections_.push_back(made);
  made->start();
  if (winding_up_)
    return made->wind_up();
  if (!ticking_)
    tick();
}

void io_thread::forget(connection& one) {
  std::swap(connections_[one.place], connections_.back());
  connections_[one.place]->place = one.place;
  connections_.pop_back();
  {
    std::lock_guard guard(state_->mutex);
    --state_->connections;
  }
  state_->changed.notify_all();
}

// From the last to the first: one that closes has its place taken by one that was looked at already.
void io_thread::wind_up() {
  winding_up_ = true;
  for (std::size_t left = connections_.size(); left > 0; --left)
    if (left <= connections_.size())
      connections_[left - 1]->wind_up();
}

// One clock for all connections: a timer of its own for each would cost more than to look at them all.
void io_thread::tick() {
  ticking_ = true;
  ticks_.expires_after(tick_length());
  ticks_.async_wait([this](const error_code& error) {
    ticking_ = false;
    if (error)
      return;
    const auto now = std::chrono::steady_clock::now();
    for (std::size_t left = connections_.size(); left > 0; --left)
      if (left <= connections_.size())
        connections_[left - 1]->look_at_clock(now);
    if (!connections_.empty() && !ticking_)
      tick();
  });
}

std::chrono::milliseconds io_thread::tick_length() const {
  const bounds& b = state_->limits;
  const auto shortest = std::min({b.head_timeout, b.body_timeout, b.idle_timeout, b.stall_timeout,
      b.answer_timeout, b.comment_interval, b.linger});
  return std::clamp(shortest / 4, std::chrono::milliseconds(5), std::chrono::milliseconds(1000));
}

std::string_view io_thread::date() {
  const std::time_t now = std::time(nullptr);
  if (now != date_of_) {
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    std::array<char, 40> text{};
    date_.assign(text.data(), std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts));
    date_of_ = now;
  }
  return date_;
}

} // namespace troupe::gateway
