// Stops are called outside the lock: what they wake may come back here.
#include "actors/effects.hpp"

namespace troupe::actors {

std::shared_ptr<tools::stop_source> running_effects::begin(const std::string& key) {
  const std::lock_guard lock(mutex_);
  if (over_ || holds_ > 0)
    return nullptr;
  return running_[key] = std::make_shared<tools::stop_source>();
}

void running_effects::end(const std::string& key) {
  const std::lock_guard lock(mutex_);
  running_.erase(key);
}

bool running_effects::runs(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  return running_.contains(key);
}

std::vector<std::string> running_effects::keys() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> out;
  for (const auto& [key, stop] : running_)
    out.push_back(key);
  return out;
}

void running_effects::stop(const std::string& key) {
  std::shared_ptr<tools::stop_source> stop;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = running_.find(key); found != running_.end())
      stop = found->second;
  }
  if (stop)
    stop->stop();
}

std::vector<std::shared_ptr<tools::stop_source>> running_effects::hold() {
  const std::lock_guard lock(mutex_);
  ++holds_;
  std::vector<std::shared_ptr<tools::stop_source>> running;
  for (const auto& [key, stop] : running_)
    running.push_back(stop);
  return running;
}

void running_effects::release() {
  const std::lock_guard lock(mutex_);
  --holds_;
}

bool running_effects::over() const {
  const std::lock_guard lock(mutex_);
  return over_;
}

void running_effects::end_all() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  for (const auto& stop : hold())
    stop->stop();
}

} // namespace troupe::actors
