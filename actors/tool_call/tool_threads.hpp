// Threads for tools, which block: one for each that runs, kept a while for the next, since making one
// costs more than many a tool.
#pragma once

#include "actors/tool_call/tool_runner.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace troupe::actors {

class tool_threads final : public tool_runner {
 public:
  /// An idle thread ends after `kept`.
  explicit tool_threads(std::chrono::milliseconds kept = std::chrono::seconds(10)) : kept_(kept) {}
  ~tool_threads() override;
  tool_threads(const tool_threads&) = delete;
  tool_threads& operator=(const tool_threads&) = delete;

  /// At once, on a thread of its own for as long as it takes. False if there is no thread to be had.
  bool run(std::function<void()> work, const std::function<bool()>& may_begin = {}) override;

 private:
  void serve();

  const std::chrono::milliseconds kept_;
  std::mutex mutex_;
  std::condition_variable came_;
  std::condition_variable ended_;
  std::deque<std::function<void()>> waiting_; ///< handed to threads that are idle
  std::size_t idle_ = 0;
  std::size_t threads_ = 0;
  bool closing_ = false;
};

} // namespace troupe::actors
