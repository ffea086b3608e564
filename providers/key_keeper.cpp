// One thread while somebody waits for the command; none else.
#include "providers/key_keeper.hpp"

#include <system_error>

namespace troupe::providers {

namespace {

// A thread of its own has nobody who would catch what a lent command throws.
result<secret> looked_up(const credential_settings& settings) {
  try {
    return resolve(settings);
  } catch (const std::exception&) {
    return problem{problem_code::unavailable, "no API key: looking it up failed", {}};
  }
}

} // namespace

key_keeper::key_keeper(credential_settings settings, std::function<time()> now)
    : settings_(std::move(settings)), now_(std::move(now)) {}

std::optional<result<key_keeper::found>> key_keeper::kept_now() {
  if (!kept_ || now_() >= kept_until_)
    return std::nullopt;
  return result<found>(found{*kept_, true});
}

std::optional<result<key_keeper::found>> key_keeper::at_hand() {
  if (settings_.command) {
    const std::lock_guard lock(mutex_);
    return kept_now();
  }
  const auto key = resolve(settings_);
  return key ? result<found>(found{*key, false}) : result<found>(key.error());
}

void key_keeper::ask(answer then) {
  std::unique_lock lock(mutex_);
  if (closed_) {
    lock.unlock();
    return then(problem{problem_code::cancelled, "no API key: the program ends", {}});
  }
  waiting_.push_back(std::move(then));
  if (std::exchange(busy_, true))
    return;
  if (thread_.joinable())
    thread_.join(); // it has done all it had to
  try {
    thread_ = std::thread([self = shared_from_this()] { self->answer_all(); });
  } catch (const std::system_error&) { // the next to ask tries anew
    busy_ = false;
    const auto asked = std::exchange(waiting_, {});
    lock.unlock();
    for (const auto& one : asked)
      one(problem{problem_code::unavailable, "no API key: this machine has no more threads", {}});
  }
}

// Those who come while others are answered have the next round.
void key_keeper::answer_all() {
  std::unique_lock lock(mutex_);
  while (!waiting_.empty()) {
    auto got = kept_now(); // by the round before
    if (!got) {
      lock.unlock();
      const auto key = looked_up(settings_);
      lock.lock();
      if (key && settings_.command_for.count() > 0) {
        kept_ = *key;
        kept_until_ = now_() + settings_.command_for;
      }
      got = key ? result<found>(found{*key, false}) : result<found>(key.error());
    }
    auto asked = std::exchange(waiting_, {});
    lock.unlock();
    for (const auto& then : asked)
      then(*got);
    asked.clear(); // with what they hold, which may be the last hold on us
    lock.lock();
  }
  busy_ = false;
}

bool key_keeper::refused(const found& one) {
  if (!settings_.command)
    return false;
  const std::lock_guard lock(mutex_);
  const bool still_given_out = kept_ && kept_->reveal() == one.key.reveal();
  if (still_given_out)
    kept_.reset();
  return one.kept || (kept_ && !still_given_out);
}

void key_keeper::close() {
  std::thread ending;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    ending.swap(thread_);
  }
  if (settings_.end_command)
    settings_.end_command();
  if (ending.get_id() == std::this_thread::get_id())
    ending.detach(); // one that was answered let go of the provider; this thread ends by itself
  else if (ending.joinable())
    ending.join();
}

} // namespace troupe::providers
