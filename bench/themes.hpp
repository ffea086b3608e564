// The themes of the benchmarks: each measures what the report wants of its figures.
#pragma once

#include "bench/report.hpp"
#include "bench/stage.hpp"

#include <map>

namespace troupe::bench {

/// The database's own speed, measured when first asked for: once a run, so that all compare with the same.
class yardsticks {
 public:
  yardsticks(report& out, const stage& on) : out_(out), on_(on) {}
  /// Single-row inserts by pgbench over so many connections; a figure of the report, too.
  double inserts_per_second(int clients);

 private:
  report& out_;
  const stage& on_;
  std::map<int, double> inserts_;
};

struct bench {
  report& out;
  stage& on;
  yardsticks& beside;
};

void measure_yardsticks(bench& with); ///< PostgreSQL's and the gym's own speed
void measure_turns(bench& with);      ///< what a turn costs
void measure_appends(bench& with);    ///< commits through the persistence actor
void measure_logs(bench& with);       ///< how the log grows
void measure_streams(bench& with);    ///< what is added between a provider and a reader
void measure_starts(bench& with);     ///< a command from nothing
void measure_loads(bench& with);      ///< sessions that come back into the memory
void measure_replays(bench& with);    ///< logs folded and decided again, forks
void measure_requests(bench& with);   ///< posts and reads over HTTP
void measure_memory(bench& with);     ///< idle sessions, idle readers

} // namespace troupe::bench
