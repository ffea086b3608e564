// What a turn costs: its time, and the processor time of everyone who takes part.
#include "bench/themes.hpp"
#include "bench/turns.hpp"

namespace troupe::bench {

namespace {

struct turn_targets {
  std::optional<double> troupe_ms, postgres_ms, wal_bytes;
};

turn_targets targets_of(turn_kind kind) {
  switch (kind) {
  case turn_kind::simple:
    return {0.5, 0.5, 3584.0};
  case turn_kind::tool:
    return {1.2, 1.0, {}};
  default:
    return {};
  }
}

std::size_t turns_of(turn_kind kind, std::size_t sessions) {
  const std::size_t base = kind == turn_kind::paced ? 3 : kind == turn_kind::tool ? 8 : 16;
  return std::max<std::size_t>(base * sessions, kind == turn_kind::paced ? 20 : 200);
}

void measure_kind(bench& with, turn_kind kind, std::size_t sessions) {
  std::vector<double> rate, own, postgres, gym, wal;
  auto handles = open_sessions(with.on.node(), sessions);
  measure_turns(with.on, handles, kind, sessions); // warm
  for (int round = 0; round < with.out.rounds(); ++round) {
    const auto cost = measure_turns(with.on, handles, kind, turns_of(kind, sessions));
    rate.push_back(cost.turns_per_second);
    own.push_back(cost.troupe_ms);
    postgres.push_back(cost.postgres_ms);
    gym.push_back(cost.gym_ms);
    wal.push_back(cost.wal_bytes);
  }
  const labels where{{"kind", name_of(kind)}, {"sessions", std::to_string(sessions)}};
  const turn_targets targets = sessions >= 32 ? targets_of(kind) : turn_targets();
  with.out.add({"turns_per_second", where, median(rate), "turns/s",
      kind == turn_kind::simple && sessions == 256 ? std::optional(1000.0) : std::nullopt, bound::at_least});
  const auto add_cpu = [&](const char* process, const std::vector<double>& ms, std::optional<double> target) {
    labels all = where;
    all.emplace_back("process", process);
    with.out.add({"cpu_ms_per_turn", std::move(all), median(ms), "ms", target});
  };
  add_cpu("troupe", own, targets.troupe_ms);
  add_cpu("postgres", postgres, targets.postgres_ms);
  add_cpu("gym", gym, {});
  if (sessions == 32)
    with.out.add({"wal_bytes_per_turn", {{"kind", name_of(kind)}}, median(wal), "B", targets.wal_bytes});
}

} // namespace

void measure_turns(bench& with) {
  for (const auto kind : {turn_kind::simple, turn_kind::tool, turn_kind::paced})
    if (with.out.wants_any({"turns_per_second", "cpu_ms_per_turn", "wal_bytes_per_turn", name_of(kind)}))
      for (const std::size_t sessions : {1U, 32U, 256U})
        measure_kind(with, kind, sessions);
}

} // namespace troupe::bench
