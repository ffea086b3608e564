// Stopping a running call, from whatever thread.
#include "tools/tool.hpp"

namespace troupe::tools {

void stop_source::stop() {
  std::vector<std::function<void()>> actions;
  {
    const std::lock_guard lock(mutex_);
    stopped_.store(true, std::memory_order_release);
    actions.swap(actions_);
  }
  for (const auto& action : actions)
    action();
}

void stop_source::on_stop(std::function<void()> action) {
  {
    const std::lock_guard lock(mutex_);
    if (!stopped()) {
      actions_.push_back(std::move(action));
      return;
    }
  }
  action();
}

} // namespace troupe::tools
