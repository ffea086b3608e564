// Keeps the heads of the sessions that were used last, and a bounded tail of each. Most of them rest: what
// they don't need is given back at once.
#include "persistence/known_heads.hpp"

#include <algorithm>

namespace troupe::persistence {

void known_head::extend(const std::vector<recorded_event>& events) {
  if (events.empty())
    return;
  last_at = events.back().at;
  const auto decided = std::find_if(events.rbegin(), events.rend(),
      [](const recorded_event& event) { return event.command != command_kind::accept_message; });
  if (decided != events.rend()) {
    std::vector<recorded_event>().swap(tail);
    tail_bytes = 0;
  }
  for (auto event = decided.base(); event != events.end(); ++event) {
    tail_bytes += event->payload.size();
    tail.push_back(*event);
  }
  drop_beyond_bounds();
}

void known_head::drop_beyond_bounds() {
  auto kept = tail.begin();
  for (; kept != tail.end(); ++kept) {
    if (tail.end() - kept <= static_cast<std::ptrdiff_t>(known_heads::tail_events_max)
        && tail_bytes <= known_heads::tail_bytes_max)
      break;
    tail_bytes -= kept->payload.size();
  }
  tail.erase(tail.begin(), kept);
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
