// Time and ids of a node.
#include "actors/node_parts.hpp"

namespace troupe::actors {

timestamp node_clock::now() const {
  return {on_.wall_time().microseconds + offset_.load(std::memory_order_relaxed)};
}

void node_clock::correct(timestamp database) {
  offset_.store(database.microseconds - on_.wall_time().microseconds, std::memory_order_relaxed);
}

bool node_lease::holds() const {
  const std::lock_guard lock(mutex_);
  return on_.steady_time() < until_;
}

bool node_lease::wait(const std::function<bool()>& stopped) const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stopped() || on_.steady_time() < until_; });
  return !stopped();
}

// Under the lock: between a waiter's look and its wait the word would be lost.
void node_lease::wake() const {
  { const std::lock_guard lock(mutex_); }
  changed_.notify_all();
}

void node_lease::extend(std::chrono::steady_clock::time_point until) {
  {
    const std::lock_guard lock(mutex_);
    until_ = until;
  }
  changed_.notify_all();
}

// SplitMix64 (Steele, Lea, Flood 2014): a bijection, so that the counter's values stay distinct.
std::uint64_t node_entropy::next() {
  std::uint64_t z = counter_.fetch_add(0x9E3779B97F4A7C15ULL, std::memory_order_relaxed);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

} // namespace troupe::actors
