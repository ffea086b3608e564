// Commits batches of appends on a store, through whatever trouble the store has: each append ends
// up committed or refused, or the whole gives up when it is stopped. It never guesses.
#pragma once

#include "persistence/append_batch.hpp"
#include "persistence/database_fault.hpp"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

namespace troupe::persistence {

/// How long to wait between tries, and whom to tell.
struct patience {
  std::chrono::milliseconds first{20}; ///< doubles from here
  std::chrono::milliseconds most{2000};
  /// Called once when trouble begins and once when it is over, with a sentence.
  std::function<void(const std::string&)> on_trouble;
  /// An answer that takes longer means that the connection is gone; a statement may take 60 s.
  std::chrono::milliseconds answer{75'000};
};

class group_commit {
 public:
  /// The most that one statement writes.
  static constexpr std::size_t appends_max = 1024;
  static constexpr std::size_t bytes_max = 4 * 1024 * 1024;

  group_commit(append_store& store, patience settings) : store_(store), settings_(std::move(settings)) {}

  result<std::vector<append_outcome>> append_all(const std::vector<append>& appends);
  /// Makes a waiting `append_all` give up, now and from now on. From any thread.
  void stop();
  bool stopped() const;
  known_heads& heads() { return heads_; }

 private:
  /// Looks up, reads and plans until there is something to write or nothing is open.
  void prepare(append_batch& plan);
  void write(append_batch& plan);
  void overcome(append_batch& plan, const database_fault& fault);
  /// Waits for the next try, longer each time.
  void pause(bool longer);
  void tell(bool trouble, const std::string& sentence);

  append_store& store_;
  patience settings_;
  known_heads heads_;
  std::vector<session_write> pending_; ///< tried again as they are until their outcome is known
  std::size_t limit_ = appends_max;
  std::chrono::milliseconds wait_{0};
  bool in_trouble_ = false;
  mutable std::mutex mutex_;
  std::condition_variable stopping_;
  bool stopped_ = false;
};

} // namespace troupe::persistence
