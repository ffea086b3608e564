// Work goes to a thread that is idle, or to a new one: it never waits behind other work.
#include "actors/tool_call/tool_threads.hpp"

#include <system_error>

namespace troupe::actors {

tool_threads::~tool_threads() {
  std::unique_lock lock(mutex_);
  closing_ = true;
  came_.notify_all();
  ended_.wait(lock, [&] { return threads_ == 0; });
}

bool tool_threads::run(std::function<void()> work, const std::function<bool()>&) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(work));
  if (waiting_.size() <= idle_) {
    came_.notify_one();
    return true;
  }
  try {
    std::thread([this] { serve(); }).detach(); // counted: the destructor waits for it
  } catch (const std::system_error&) {
    waiting_.pop_back();
    return false;
  }
  ++threads_;
  return true;
}

void tool_threads::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    const bool work_came =
        came_.wait_for(lock, kept_, [&] { return closing_ || !waiting_.empty(); }) && !waiting_.empty();
    --idle_;
    if (!work_came)
      break;
    auto work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    work();
    work = nullptr; // what it holds ends outside the lock
    lock.lock();
  }
  if (--threads_ == 0)
    ended_.notify_all(); // under the lock: the object may be gone right after
}

} // namespace troupe::actors
