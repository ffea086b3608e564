// Requests that only wait for something to happen: a server that leaves doesn't keep their clients until
// the connection is cut.
#pragma once

#include "gateway/exchange.hpp"

#include <mutex>
#include <vector>

namespace troupe::gateway {

/// For any number of threads.
class held_exchanges {
 public:
  /// Until it is answered or dropped; it is held by whoever owes its answer.
  void add(const std::shared_ptr<exchange>& one);
  /// Answers 503 to all that are still waited for and to any that comes later: the client asks again, and
  /// waits on at the node that it gets then.
  void turn_away();
  std::size_t size() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::weak_ptr<exchange>> held_;
  std::size_t swept_at_ = 64; ///< those that are over go when there are so many
  bool turned_away_ = false;
};

} // namespace troupe::gateway
