// Events a second and how long a commit takes, against pgbench's rows over as many connections.
#include "bench/appends.hpp"
#include "bench/themes.hpp"

namespace troupe::bench {

namespace {

constexpr std::chrono::milliseconds warm_up{300};
constexpr std::chrono::milliseconds round_time{2000};

} // namespace

void measure_appends(bench& with) {
  if (!with.out.wants_any({"events_per_second", "commit_ms"}))
    return;
  append_stage writing(with.on, 256);
  for (const auto& [sessions, clients] : {std::pair(1, 1), {100, 64}, {256, 256}}) {
    const auto count = static_cast<std::size_t>(sessions);
    writing.measure(count, warm_up);
    std::vector<double> rates;
    quantiles waits;
    for (int round = 0; round < with.out.rounds(); ++round) {
      const auto cost = writing.measure(count, round_time);
      rates.push_back(cost.events_per_second);
      waits.add(cost.commit_ms);
    }
    const labels where{{"sessions", std::to_string(sessions)}};
    const double least = (sessions == 1 ? 0.8 : 3.0) * with.beside.inserts_per_second(clients);
    with.out.add({"events_per_second", where, median(rates), "events/s", least, bound::at_least});
    waits.tell(with.out, "commit_ms", where);
  }
}

} // namespace troupe::bench
