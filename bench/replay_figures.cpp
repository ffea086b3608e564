// How fast a log is folded and decided again, and what a fork costs.
#include "actors/history/verification.hpp"
#include "bench/meters.hpp"
#include "bench/themes.hpp"
#include "bench/turns.hpp"
#include "bench/waiting.hpp"
#include "messages/event_codec.hpp"
#include "session/evolve.hpp"

#include <future>

namespace troupe::bench {

namespace {

constexpr std::size_t recorded_turns = 1000;
constexpr int forks_a_round = 20;
constexpr double fold_target = 1'000'000;
constexpr double verify_target = 100'000;
constexpr double fork_ms_target = 5;
constexpr double fork_bytes_target = 1'536;

/// A session of many turns, with its log at hand.
class recorded_session {
 public:
  explicit recorded_session(stage& on) : on_(on), journal_(must(on.node_settings().open_journal())) {
    sessions_ = open_sessions(on.node(), 1);
    play_turns(sessions_, recorded_turns, [] { return prompt_of(turn_kind::simple); });
    row_ = must(journal_->find(on.node().tenant(), sessions_.front().id()));
    for (const auto& stored : must(journal_->read(row_.key, 0, static_cast<std::size_t>(row_.head))))
      log_.push_back(must(decode(stored)));
  }

  double folded_per_second() const {
    const auto begin = std::chrono::steady_clock::now();
    const auto state = session::fold(log_);
    return static_cast<double>(state.head) / ms_since(begin) * 1000;
  }

  double verified_per_second() const {
    const auto begin = std::chrono::steady_clock::now();
    const auto found = must(actors::verify_log(*journal_, row_));
    if (found.first_difference)
      throw std::runtime_error("the log of the recorded session differs: " + found.first_difference->found);
    return static_cast<double>(found.events) / ms_since(begin) * 1000;
  }

  double fork() {
    const auto begin = std::chrono::steady_clock::now();
    std::promise<result<bool>> made;
    on_.node().fork(
        row_.id, row_.head, on_.node().new_id(), {}, [&](const result<bool>& came) { made.set_value(came); });
    must(made.get_future().get());
    return ms_since(begin);
  }

 private:
  stage& on_;
  std::shared_ptr<persistence::journal> journal_;
  std::vector<actors::session_handle> sessions_;
  persistence::session_row row_;
  std::vector<event> log_;
};

void measure_forks(bench& with, recorded_session& session) {
  const database_meter database(with.on.database_url());
  quantiles times;
  std::vector<double> bytes;
  for (int round = 0; round < with.out.rounds(); ++round) {
    database.query("checkpoint");
    session.fork(); // takes along the pages that all share
    const auto begin = database.wal_position();
    std::vector<double> taken;
    for (int i = 0; i < forks_a_round; ++i)
      taken.push_back(session.fork());
    times.add(taken);
    const auto written = database.wal_since(begin);
    bytes.push_back(static_cast<double>(written.bytes - written.page_bytes) / forks_a_round);
  }
  times.tell(with.out, "fork_ms", {}, fork_ms_target);
  with.out.add({"fork_bytes", {}, median(bytes), "B", fork_bytes_target});
}

} // namespace

void measure_replays(bench& with) {
  if (!with.out.wants_any({"fold_events_per_second", "verify_events_per_second", "fork_ms", "fork_bytes"}))
    return;
  recorded_session session(with.on);
  const auto add = [&](const char* name, double target, auto once) {
    if (with.out.wants(name))
      with.out.add({name, {}, median_of(with.out.rounds(), once), "/s", target, bound::at_least});
  };
  add("fold_events_per_second", fold_target, [&] { return session.folded_per_second(); });
  add("verify_events_per_second", verify_target, [&] { return session.verified_per_second(); });
  if (with.out.wants_any({"fork_ms", "fork_bytes"}))
    measure_forks(with, session);
}

} // namespace troupe::bench
