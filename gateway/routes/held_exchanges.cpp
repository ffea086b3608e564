// A list that is swept whenever it has doubled, so that it holds about as many as wait.
#include "gateway/routes/held_exchanges.hpp"

#include "gateway/problem_document.hpp"

#include <algorithm>
#include <utility>

namespace troupe::gateway {

namespace {

void tell(exchange& one) {
  one.answer(problem_document(refusal::draining, "this node is stopping; ask again, and wait on there"));
}

} // namespace

void held_exchanges::add(const std::shared_ptr<exchange>& one) {
  const std::lock_guard lock(mutex_);
  if (turned_away_)
    return tell(*one);
  if (held_.size() >= swept_at_) {
    std::erase_if(held_, [](const auto& other) { return other.expired(); });
    swept_at_ = std::max<std::size_t>(64, 2 * held_.size());
  }
  held_.push_back(one);
}

void held_exchanges::turn_away() {
  std::vector<std::weak_ptr<exchange>> waiting;
  {
    const std::lock_guard lock(mutex_);
    turned_away_ = true;
    waiting = std::exchange(held_, {});
  }
  for (const auto& one : waiting)
    if (const auto still = one.lock())
      tell(*still);
}

std::size_t held_exchanges::size() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(
      std::count_if(held_.begin(), held_.end(), [](const auto& one) { return !one.expired(); }));
}

} // namespace troupe::gateway
