// What sessions of a node have alike is there once: the look-ups of those with the same instructions and
// the same tools.
#pragma once

#include "session/inputs.hpp"

#include <mutex>
#include <unordered_map>

namespace troupe::actors {

/// For any thread. Holds nothing alive by itself.
class shared_look_ups {
 public:
  /// Those that are equal and in use already, or `fresh` from now on.
  std::shared_ptr<const session::look_ups> share(std::shared_ptr<const session::look_ups> fresh);
  /// How many different ones it knows of, those that are gone included.
  std::size_t size() const;

 private:
  void drop_the_gone();

  mutable std::mutex mutex_;
  std::unordered_multimap<std::size_t, std::weak_ptr<const session::look_ups>> by_hash_;
  std::size_t look_again_at_ = 64; ///< when it has grown to this, those that are gone are dropped
};

} // namespace troupe::actors
