// Ends the wait for an answer that never comes: a network that swallows what is sent looks like a server
// that thinks, and libpq would wait for ever. TCP's own timeouts see only what nobody acknowledges.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace troupe::persistence {

/// For one connection. Its socket is shut down when nothing has moved on it for longer than the patience (an
/// eighth of it later at most), so that the call fails as on any broken connection. A big answer over a slow
/// line takes as long as it takes.
class answer_watch {
 public:
  explicit answer_watch(std::chrono::milliseconds patience) : patience_(patience) {}
  ~answer_watch();
  answer_watch(const answer_watch&) = delete;
  answer_watch& operator=(const answer_watch&) = delete;

  /// Runs `call`, which waits for answers on `socket`. Not from within another one.
  template <class Call> auto over(int socket, Call call) {
    const watched in_this_call(*this, socket);
    return call();
  }

 private:
  struct watched {
    watched(answer_watch& watch, int socket) : by(watch) { by.begin(socket); }
    ~watched() { by.end(); }
    watched(const watched&) = delete;
    watched& operator=(const watched&) = delete;
    answer_watch& by;
  };
  void begin(int socket);
  void end();
  void look();

  const std::chrono::milliseconds patience_;
  std::mutex mutex_;
  std::condition_variable closing_changed_;
  bool closing_ = false;
  int socket_ = -1;         ///< of the call that is under way: our own name for it, since libpq may close its
  std::uint64_t moved_ = 0; ///< bytes that had gone and come when it was looked at last
  std::chrono::steady_clock::time_point until_;
  std::thread looks_; ///< from the first call on; wakes eight times in a patience, so that no call wakes it
};

} // namespace troupe::persistence
