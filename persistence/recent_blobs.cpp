// A set in order of use.
#include "persistence/recent_blobs.hpp"

namespace troupe::persistence {

bool recent_blobs::contains(const std::string& key) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end())
    return false;
  by_use_.splice(by_use_.begin(), by_use_, found->second);
  return true;
}

void recent_blobs::add(const std::string& key) {
  if (contains(key))
    return;
  by_use_.push_front(key);
  by_key_[by_use_.front()] = by_use_.begin();
  if (by_use_.size() > most_) {
    by_key_.erase(by_use_.back());
    by_use_.pop_back();
  }
}

bool recent_blobs::clear() {
  const bool any = !by_use_.empty();
  by_key_.clear();
  by_use_.clear();
  return any;
}

std::string recent_blobs::content_key(std::int32_t tenant, const std::string& name) {
  return std::to_string(tenant) + " " + name;
}

std::string recent_blobs::use_key(const session_key& session, std::int64_t epoch, const std::string& name) {
  return std::to_string(session.tenant) + "/" + std::to_string(session.branch) + "/" + std::to_string(epoch)
      + " " + name;
}

} // namespace troupe::persistence
