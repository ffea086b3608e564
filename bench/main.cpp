// The benchmarks: everything that is compared is measured in one run, each figure several times.
#include "bench/meters.hpp"
#include "bench/themes.hpp"

#include <iostream>

namespace troupe::bench {

namespace {

int measure(const wishes& how, const std::filesystem::path& troupe) {
  stage stage(troupe);
  report out(how);
  yardsticks beside(out, stage);
  bench with{out, stage, beside};
  measure_yardsticks(with);
  measure_turns(with);
  measure_appends(with);
  measure_logs(with);
  measure_streams(with);
  measure_starts(with);
  measure_loads(with);
  measure_replays(with);
  measure_requests(with);
  measure_memory(with);
  if (how.json)
    std::cout << out.as_json(database_meter(stage.database_url()).version()) << "\n";
  return 0;
}

} // namespace

} // namespace troupe::bench

int main(int count, char** words) {
  troupe::bench::wishes how;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--json") {
      how.json = true;
    } else if ((word == "--only" || word == "--rounds") && i + 1 < count) {
      word == "--only" ? void(how.only = words[++i]) : void(how.rounds = std::max(1, std::atoi(words[++i])));
    } else {
      std::cerr << "usage: troupe_bench [--json] [--only NAME] [--rounds N]\n";
      return 2;
    }
  }
  try {
    return troupe::bench::measure(how, std::filesystem::canonical("/proc/self/exe").parent_path() / "troupe");
  } catch (const std::exception& fault) {
    std::cerr << "troupe_bench: " << fault.what() << "\n";
    return 1;
  }
}
