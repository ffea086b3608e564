// Which sessions are on this node, for whoever asks from whatever thread: the way to a session that is
// here is a look-up, not a message.
#pragma once

#include "actors/protocol.hpp"

#include <mutex>
#include <set>
#include <unordered_map>

namespace troupe::actors {

/// True once its agent is on its way out: whoever wants the session waits for that, and opens it anew.
bool is_ending(const session_here& session);

class session_directory {
 public:
  void put(std::shared_ptr<const session_here> session);
  /// Takes it out, if it is still the one of that epoch.
  void remove(const std::string& id, std::int64_t epoch);
  /// Null if it isn't here.
  std::shared_ptr<const session_here> find(const std::string& id) const;
  bool owns(const persistence::session_key& session) const;
  std::size_t size() const;
  std::vector<std::shared_ptr<const session_here>> all() const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const session_here>> by_id_;
  std::set<persistence::session_key> keys_;
};

} // namespace troupe::actors
