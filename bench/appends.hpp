// Appends through the persistence actor as sessions make them: one at a time each, many sessions at once.
#pragma once

#include "bench/stage.hpp"

namespace troupe::bench {

struct append_cost {
  double events_per_second = 0;
  std::vector<double> commit_ms; ///< of each append, from the order to the answer
};

/// Sessions without agents, and a persistence actor on a CAF actor system of its own.
class append_stage {
 public:
  append_stage(const stage& on, std::size_t sessions);
  ~append_stage();
  append_stage(const append_stage&) = delete;
  append_stage& operator=(const append_stage&) = delete;

  /// The first `sessions` of them append for that long.
  append_cost measure(std::size_t sessions, std::chrono::milliseconds time);

 private:
  struct parts;
  std::unique_ptr<parts> parts_;
};

} // namespace troupe::bench
