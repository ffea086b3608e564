// Which content is known to be stored for which branch, so that it isn't sent with every inference.
#pragma once

#include "persistence/journal.hpp"

#include <list>
#include <unordered_map>

namespace troupe::persistence {

/// A bounded set of (session, content) pairs and of contents; the least used go first.
class recent_blobs {
 public:
  explicit recent_blobs(std::size_t most = 16'384) : most_(most) {}
  /// True if it was there; it counts as used now.
  bool contains(const std::string& key);
  void add(const std::string& key);
  /// False if it was empty already.
  bool clear();

  /// The key of content within a tenant, and of its use by a session: whoever takes the session next finds
  /// out anew, since what isn't used any more is removed between two epochs.
  static std::string content_key(std::int32_t tenant, const std::string& name);
  static std::string use_key(const session_key& session, std::int64_t epoch, const std::string& name);

 private:
  std::size_t most_;
  std::list<std::string> by_use_;
  std::unordered_map<std::string_view, std::list<std::string>::iterator> by_key_; ///< keys: into the list
};

} // namespace troupe::persistence
