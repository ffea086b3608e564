// The gym's provider with a clock in it: when each piece of an answer came from the network.
#pragma once

#include "providers/http_provider.hpp"

#include <chrono>
#include <map>
#include <mutex>

namespace troupe::bench {

using moment = std::chrono::steady_clock::time_point;

/// Where pieces of answers came in. Every piece is here before anybody behind the provider hears of it.
class arrivals {
 public:
  void note(const std::string& inference, std::int64_t block, std::uint64_t offset, moment when);
  void note_end(const std::string& inference, moment when) { note(inference, -1, 0, when); }
  /// Throws if it never came.
  moment of(const std::string& inference, std::int64_t block, std::uint64_t offset) const;
  moment end_of(const std::string& inference) const { return of(inference, -1, 0); }

 private:
  using place = std::tuple<std::string, std::int64_t, std::uint64_t>;
  mutable std::mutex mutex_;
  std::map<place, moment> moments_;
};

std::shared_ptr<providers::provider> stamped_gym(
    providers::http_provider_settings settings, std::shared_ptr<arrivals> into);

} // namespace troupe::bench
