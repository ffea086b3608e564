// How far long work is, for people, on the standard error.
#pragma once

#include <chrono>
#include <functional>
#include <iostream>
#include <mutex>
#include <string>

namespace troupe::cli {

/// Says something every two seconds at most. From any thread.
class progress {
 public:
  /// `words` is asked only where it is time to say something.
  void tell(const std::function<std::string()>& words) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    const auto now = std::chrono::steady_clock::now();
    if (!lock || now < told_at_ + std::chrono::seconds(2))
      return;
    told_at_ = now;
    std::cerr << words() << "\n";
  }

 private:
  std::mutex mutex_;
  std::chrono::steady_clock::time_point told_at_ = std::chrono::steady_clock::now();
};

} // namespace troupe::cli
