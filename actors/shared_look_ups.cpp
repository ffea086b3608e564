// Found by a hash of the two long texts, compared as a whole.
#include "actors/shared_look_ups.hpp"

#include <algorithm>

namespace troupe::actors {

std::shared_ptr<const session::look_ups> shared_look_ups::share(
    std::shared_ptr<const session::look_ups> fresh) {
  const std::size_t hash =
      std::hash<std::string>()(fresh->tools) * 31 + std::hash<std::string>()(fresh->instructions);
  const std::lock_guard lock(mutex_);
  const auto [begin, end] = by_hash_.equal_range(hash);
  for (auto it = begin; it != end; ++it)
    if (auto known = it->second.lock(); known && *known == *fresh)
      return known;
  drop_the_gone();
  by_hash_.emplace(hash, fresh);
  return fresh;
}

std::size_t shared_look_ups::size() const {
  const std::lock_guard lock(mutex_);
  return by_hash_.size();
}

// Seldom enough that it costs each of them little: when it has doubled.
void shared_look_ups::drop_the_gone() {
  if (by_hash_.size() < look_again_at_)
    return;
  std::erase_if(by_hash_, [](const auto& entry) { return entry.second.expired(); });
  look_again_at_ = std::max<std::size_t>(64, 2 * by_hash_.size());
}

} // namespace troupe::actors
