// Keeps the heads of the sessions that were used last, and a bounded tail of each.
#include "persistence/known_heads.hpp"

namespace troupe::persistence {

void known_head::extend(const std::vector<recorded_event>& events) {
  for (const auto& event : events) {
    tail_bytes += event.payload.size();
    last_at = event.at;
    tail.push_back(event);
  }
  while (tail.size() > known_heads::tail_events_max
      || (tail_bytes > known_heads::tail_bytes_max && !tail.empty())) {
    tail_bytes -= tail.front().payload.size();
    tail.pop_front();
  }
}

std::optional<std::vector<recorded_event>> known_head::since(std::int64_t after) const {
  if (after == seq)
    return std::vector<recorded_event>{};
  if (tail.empty() || tail.front().seq > after + 1)
    return std::nullopt;
  return std::vector<recorded_event>(tail.begin() + (after + 1 - tail.front().seq), tail.end());
}

known_head* known_heads::find(const session_key& session) {
  const auto found = by_key_.find(session);
  if (found == by_key_.end())
    return nullptr;
  by_use_.splice(by_use_.begin(), by_use_, found->second);
  return &found->second->head;
}

known_head& known_heads::put(const session_key& session, known_head head) {
  forget(session);
  by_use_.push_front({session, std::move(head)});
  by_key_[session] = by_use_.begin();
  if (by_use_.size() > sessions_max_) {
    by_key_.erase(by_use_.back().key);
    by_use_.pop_back();
  }
  return by_use_.front().head;
}

void known_heads::forget(const session_key& session) {
  const auto found = by_key_.find(session);
  if (found == by_key_.end())
    return;
  by_use_.erase(found->second);
  by_key_.erase(found);
}

} // namespace troupe::persistence
