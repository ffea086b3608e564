// Work that blocks, on a thread of its own that only runs while somebody waits for it: one of the two
// runs at a time, so that nothing depends on how the machine shares its processors.
#pragma once

#include <functional>
#include <semaphore>
#include <thread>

namespace troupe::simulation {

class hand_over {
 public:
  explicit hand_over(std::function<void()> work);
  /// The work must have ended.
  ~hand_over();
  hand_over(const hand_over&) = delete;
  hand_over& operator=(const hand_over&) = delete;

  /// Lets the work go on until it pauses or ends; true if it has ended.
  bool go_on();
  /// Within the work: gives the word back, until somebody lets it go on.
  static void pause();

 private:
  std::binary_semaphore go_{0};
  std::binary_semaphore back_{0};
  bool ended_ = false;
  std::thread thread_;
};

} // namespace troupe::simulation
