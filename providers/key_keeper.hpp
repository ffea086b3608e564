// The key of one provider: looked up for each inference, and where a command gives it, kept for a while.
//
//   nothing kept ──asked──▶ the command runs, on a thread of its own ──▶ kept ──time is up, or refused──▶
//   nothing kept
#pragma once

#include "providers/credentials.hpp"

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace troupe::providers {

/// From any thread; held by shared pointers.
class key_keeper : public std::enable_shared_from_this<key_keeper> {
 public:
  struct found {
    secret key;
    bool kept = false; ///< from a run of the command that another inference has waited for
  };
  using answer = std::function<void(const result<found>&)>;
  using time = std::chrono::steady_clock::time_point;

  explicit key_keeper(
      credential_settings settings,
      std::function<time()> now = [] { return std::chrono::steady_clock::now(); });
  /// `close` comes first.
  ~key_keeper() = default;
  key_keeper(const key_keeper&) = delete;
  key_keeper& operator=(const key_keeper&) = delete;

  /// The key, where nothing has to be waited for; absent where `ask` has to be.
  std::optional<result<found>> at_hand();
  /// Runs the command, once for all who ask meanwhile; each is answered from its thread.
  void ask(answer then);
  /// The service refused this key: it isn't given out again. True if another one may be had now.
  bool refused(const found& one);
  /// Ends the command, and answers those who wait. Nothing is asked afterwards.
  void close();

 private:
  std::optional<result<found>> kept_now(); // under the lock
  void answer_all();

  const credential_settings settings_;
  const std::function<time()> now_;
  std::mutex mutex_;
  std::vector<answer> waiting_;
  std::optional<secret> kept_;
  time kept_until_;
  bool busy_ = false; ///< the thread runs, and will look at `waiting_` again
  bool closed_ = false;
  std::thread thread_;
};

} // namespace troupe::providers
