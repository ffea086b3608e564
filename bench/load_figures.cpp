// How long a session that isn't in the memory takes until it is there.
#include "actors/fleet/session_loading.hpp"
#include "bench/themes.hpp"
#include "bench/turns.hpp"
#include "bench/waiting.hpp"
#include "persistence/this_process.hpp"
#include "session/snapshot.hpp"

namespace troupe::bench {

namespace {

constexpr std::size_t short_session_turns = 112; // some 1,000 events
constexpr std::size_t long_session_turns = 1000;
// A session of so many events has been compacted again and again: here, every so many turns.
constexpr std::size_t turns_between_compactions = 100;
constexpr std::int64_t very_long_session_events = 100'000;
constexpr int wakes_a_round = 20;

/// A session of many turns on a node that lets go of it as soon as it rests.
class long_session {
 public:
  /// Of so many turns without a compaction; or of so many events, with many.
  explicit long_session(const stage& on, std::size_t turns, std::int64_t events_at_least = 0)
      : journal_(must(on.node_settings().open_journal())) {
    make(on, turns, events_at_least);
    auto settings = on.node_settings();
    settings.rest_before_leaving = std::chrono::milliseconds(20);
    node_ = must(actors::node::start(std::move(settings)));
    must(node_->open(known(), actors::opening::find));
    must(journal_->heartbeat(reader_, std::chrono::milliseconds(std::chrono::minutes(10)).count()));
  }
  ~long_session() { journal_->leave(reader_); }
  long_session(const long_session&) = delete;
  long_session& operator=(const long_session&) = delete;

  std::string events() { return std::to_string(must(journal_->find(node_->tenant(), id_)).head); }

  /// Until the session can be used again, from when it isn't in the memory.
  double wake() {
    wait_until_left();
    const auto begin = std::chrono::steady_clock::now();
    must(node_->open(known(), actors::opening::find));
    return ms_since(begin);
  }

  /// The same without a node: the log or the snapshot read and folded.
  double load(bool from_snapshot) {
    wait_until_left();
    const auto begin = std::chrono::steady_clock::now();
    const auto taken =
        must(journal_->take(node_->tenant(), id_, reader_, from_snapshot ? session::snapshot_version : 0));
    must(actors::load_state(*journal_, taken));
    const double took = ms_since(begin);
    journal_->release(taken.row.key, taken.row.epoch);
    if (taken.from.has_value() != from_snapshot)
      throw std::runtime_error("there is no snapshot of the long session");
    return took;
  }

 private:
  void make(const stage& on, std::size_t first_turns, std::int64_t events_at_least) {
    const auto maker = must(actors::node::start(on.node_settings()));
    auto sessions = open_sessions(*maker, 1);
    id_ = sessions.front().id();
    const auto play = [&](std::size_t turns) {
      play_turns(sessions, turns, [] { return prompt_of(turn_kind::simple); });
    };
    play(first_turns);
    while (must(journal_->find(maker->tenant(), id_)).head < events_at_least) {
      play(turns_between_compactions);
      must(sessions.front().compact());
    }
  }

  options known() const {
    options wanted;
    wanted.id = id_;
    return wanted;
  }
  // It has left when its row is nobody's, which comes last.
  void wait_until_left() {
    wait_for([&] { return !must(journal_->find(node_->tenant(), id_)).node; }, "a session to leave");
  }

  std::shared_ptr<persistence::journal> journal_;
  persistence::node_identity reader_ = persistence::this_process("bench-loads");
  std::unique_ptr<actors::node> node_;
  std::string id_;
};

} // namespace

void measure_loads(bench& with) {
  if (!with.out.wants_any({"wake_ms", "load_ms"}))
    return;
  std::string events;
  const auto add = [&](const char* name, const char* snapshot, auto once, std::optional<double> target) {
    quantiles times;
    for (int round = 0; round < with.out.rounds(); ++round) {
      std::vector<double> taken;
      for (int i = 0; i < wakes_a_round; ++i)
        taken.push_back(once());
      times.add(taken);
    }
    times.tell(with.out, name, {{"events", events}, {"snapshot", snapshot}}, target);
  };
  long_session session(with.on, long_session_turns);
  events = session.events();
  if (with.out.wants("wake_ms"))
    add(
        "wake_ms", "true", [&] { return session.wake(); }, 15.0);
  if (with.out.wants("load_ms")) {
    add("load_ms", "true", [&] { return session.load(true); }, {});
    add("load_ms", "false", [&] { return session.load(false); }, {});
    long_session shorter(with.on, short_session_turns);
    events = shorter.events();
    add(
        "load_ms", "true", [&] { return shorter.load(true); }, 10.0);
    add(
        "load_ms", "false", [&] { return shorter.load(false); }, 10.0);
    long_session longer(with.on, turns_between_compactions, very_long_session_events);
    events = longer.events();
    add(
        "load_ms", "true", [&] { return longer.load(true); }, 25.0);
  }
}

} // namespace troupe::bench
