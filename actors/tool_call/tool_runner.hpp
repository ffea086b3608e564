// Where the work of tools is run, which blocks.
#pragma once

#include <functional>

namespace troupe::actors {

class tool_runner {
 public:
  /// Waits until all that runs has ended; what runs must have been told to stop.
  virtual ~tool_runner() = default;
  /// Runs `work`, which must not throw, without making any other work wait for it. False: it isn't run.
  /// `may_begin` is false while all that `work` would do is wait: for a runner that has no threads.
  virtual bool run(std::function<void()> work, const std::function<bool()>& may_begin = {}) = 0;
};

} // namespace troupe::actors
