// Each session posts, waits until it is idle, and posts again: on the node's own threads.
#include "bench/turns.hpp"

#include "bench/meters.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stdexcept>

namespace troupe::bench {

namespace {

// Shared with the callbacks, of which the last may be on its way out when all turns have ended.
class load_of_turns : public std::enable_shared_from_this<load_of_turns> {
 public:
  load_of_turns(std::size_t turns, std::function<std::string()> prompt)
      : prompt_(std::move(prompt)), turns_(turns) {}

  /// Every session has its first turn before any has another.
  void begin(const std::vector<actors::session_handle>& sessions) {
    started_ = std::min(sessions.size(), turns_);
    for (std::size_t i = 0; i < std::min(sessions.size(), turns_); ++i)
      play(sessions[i]);
  }

  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_ == turns_ || !trouble_.empty(); });
    if (!trouble_.empty())
      throw std::runtime_error("a turn failed: " + trouble_);
  }

 private:
  void play(actors::session_handle session) {
    accept_message message;
    message.content = content(prompt_());
    session.post(std::move(message),
        [=, this, self = shared_from_this()](result<actors::acceptance> accepted) mutable {
          if (!accepted)
            return fail(accepted.error().detail);
          session.when_idle([=, this, self = self](result<std::shared_ptr<const session::state>> idle) {
            if (!idle)
              return fail(idle.error().detail);
            if ((*idle)->last_error)
              return fail((*idle)->last_error->message);
            end_turn();
            if (started_.fetch_add(1) < turns_)
              play(session);
          });
        });
  }

  void end_turn() {
    const std::lock_guard lock(mutex_);
    if (++ended_ == turns_)
      changed_.notify_all();
  }
  void fail(const std::string& why) {
    const std::lock_guard lock(mutex_);
    trouble_ = why;
    changed_.notify_all();
  }

  std::function<std::string()> prompt_;
  std::size_t turns_;
  std::atomic<std::size_t> started_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t ended_ = 0;
  std::string trouble_;
};

} // namespace

void play_turns(std::vector<actors::session_handle>& sessions, std::size_t turns,
    const std::function<std::string()>& prompt) {
  const auto playing = std::make_shared<load_of_turns>(turns, prompt);
  playing->begin(sessions);
  playing->wait();
}

turn_cost measure_turns(
    stage& stage, std::vector<actors::session_handle>& sessions, turn_kind kind, std::size_t turns) {
  const database_meter database(stage.database_url());
  const pid_t postmaster = database.postmaster();
  const auto wal = database.wal_bytes();
  const double own = own_cpu_seconds();
  const double postgres = cpu_seconds_of_tree(postmaster);
  const double gym = cpu_seconds(stage.gym_process());
  const auto begin = std::chrono::steady_clock::now();
  play_turns(sessions, turns, [kind] { return prompt_of(kind); });
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const auto count = static_cast<double>(turns);
  turn_cost cost;
  cost.turns_per_second = count / seconds;
  cost.troupe_ms = (own_cpu_seconds() - own) * 1000 / count;
  cost.postgres_ms = (cpu_seconds_of_tree(postmaster) - postgres) * 1000 / count;
  cost.gym_ms = (cpu_seconds(stage.gym_process()) - gym) * 1000 / count;
  cost.wal_bytes = static_cast<double>(database.wal_bytes() - wal) / count;
  return cost;
}

} // namespace troupe::bench
