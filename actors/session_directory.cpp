// One lock around two tables.
#include "actors/session_directory.hpp"

#include "actors/effects.hpp"
#include "actors/queue/session_queues.hpp"

namespace troupe::actors {

bool is_ending(const session_here& session) { return session.effects->over() || session.queues->over(); }

void session_directory::put(std::shared_ptr<const session_here> session) {
  const std::lock_guard lock(mutex_);
  keys_.insert(session->key);
  by_id_.insert_or_assign(session->id, std::move(session));
}

void session_directory::remove(const std::string& id, std::int64_t epoch) {
  const std::lock_guard lock(mutex_);
  const auto found = by_id_.find(id);
  if (found == by_id_.end() || found->second->epoch != epoch)
    return;
  keys_.erase(found->second->key);
  by_id_.erase(found);
}

std::shared_ptr<const session_here> session_directory::find(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

bool session_directory::owns(const persistence::session_key& session) const {
  const std::lock_guard lock(mutex_);
  return keys_.contains(session);
}

std::vector<std::shared_ptr<const session_here>> session_directory::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<const session_here>> out;
  for (const auto& [id, session] : by_id_)
    out.push_back(session);
  return out;
}

std::size_t session_directory::size() const {
  const std::lock_guard lock(mutex_);
  return by_id_.size();
}

} // namespace troupe::actors
