// Actors are let go of outside the lock: with the last handle on one it is destroyed, and comes back here.
#include "actors/queue/session_queues.hpp"

namespace troupe::actors {

session_queues::session_queues(const session::state* loaded, std::shared_ptr<const session::look_ups> known)
    : known_(std::move(known)) {
  if (!loaded)
    return;
  closed_ = loaded->closed || loaded->closing;
  for (const auto& message : loaded->steer)
    steer_.waiting.insert(message.data->message_id);
  for (const auto& message : loaded->sends)
    sends_.waiting.insert(message.data->message_id);
}

caf::actor session_queues::enter(delivery which, const std::function<caf::actor()>& spawn) {
  const std::lock_guard lock(mutex_);
  if (over_)
    return nullptr;
  auto& queue = at(which);
  if (!queue.actor)
    queue.actor = spawn();
  ++queue.coming;
  return queue.actor;
}

void session_queues::has_read(delivery which) {
  const std::lock_guard lock(mutex_);
  --at(which).coming;
}

session_queues::room session_queues::room_for(delivery which, const std::string& message_id) const {
  const std::lock_guard lock(mutex_);
  const auto& waiting = at(which).waiting;
  return {waiting.contains(message_id) ? 0 : waiting.size(), closed_};
}

bool session_queues::admit(delivery which, const std::string& message_id) {
  const std::lock_guard lock(mutex_);
  return at(which).waiting.insert(message_id).second;
}

void session_queues::withdraw(delivery which, const std::string& message_id) {
  const std::lock_guard lock(mutex_);
  at(which).waiting.erase(message_id);
}

void session_queues::tells_agent() {
  const std::lock_guard lock(mutex_);
  ++told_;
}

bool session_queues::leave(delivery which) {
  caf::actor left;
  const std::lock_guard lock(mutex_);
  if (at(which).coming > 0)
    return false;
  left = std::exchange(at(which).actor, nullptr);
  return true;
}

void session_queues::ended(delivery which, caf::actor_id who) {
  caf::actor left;
  const std::lock_guard lock(mutex_);
  auto& queue = at(which);
  if (!queue.actor || queue.actor.id() != who)
    return;
  left = std::exchange(queue.actor, nullptr);
  queue.coming = 0; // whoever sent them is told that it was gone
}

void session_queues::forget(const std::vector<std::string>& message_ids) {
  const std::lock_guard lock(mutex_);
  for (const auto& id : message_ids) {
    steer_.waiting.erase(id);
    sends_.waiting.erase(id);
  }
}

void session_queues::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
}

void session_queues::open() {
  const std::lock_guard lock(mutex_);
  closed_ = false;
}

bool session_queues::is_quiet() const {
  const std::lock_guard lock(mutex_);
  return !steer_.actor && !sends_.actor;
}

bool session_queues::is_closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

bool session_queues::end_if_quiet(std::int64_t heard) {
  const std::lock_guard lock(mutex_);
  if (steer_.actor || sends_.actor || told_ != heard)
    return false;
  over_ = true;
  return true;
}

bool session_queues::over() const {
  const std::lock_guard lock(mutex_);
  return over_;
}

void session_queues::end() {
  const std::lock_guard lock(mutex_);
  over_ = true;
}

} // namespace troupe::actors
