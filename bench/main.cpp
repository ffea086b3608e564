// The benchmarks: everything that is compared is measured in one run, each figure several times.
#include "bench/meters.hpp"
#include "bench/turns.hpp"
#include "messages/json.hpp"

#include <fstream>
#include <iostream>
#include <map>
#include <thread>

namespace troupe::bench {

namespace {

using labels = std::vector<std::pair<std::string, std::string>>;

struct figure {
  std::string name;
  troupe::bench::labels labels;
  double value = 0;
  std::string unit;
  std::optional<double> target;
  bool at_most = true;
};

struct settings {
  bool json = false;
  std::string only;
  int rounds = 3;
};

class report {
 public:
  explicit report(const settings& how) : how_(how) {}

  bool wants(const std::string& name) const {
    return how_.only.empty() || name.find(how_.only) != std::string::npos;
  }
  void add(figure f) {
    std::cerr << f.name;
    for (const auto& [key, value] : f.labels)
      std::cerr << " " << key << "=" << value;
    std::cerr << ": " << f.value << " " << f.unit
              << (f.target ? (good(f) ? "  ok" : "  MISSED, wanted ") : "");
    if (f.target && !good(f))
      std::cerr << (f.at_most ? "<= " : ">= ") << *f.target;
    std::cerr << "\n";
    figures_.push_back(std::move(f));
  }
  std::string as_json(const std::string& postgres) const {
    json::writer out;
    out.begin_object()
        .key("machine")
        .begin_object()
        .key("cores")
        .number(std::int64_t{std::thread::hardware_concurrency()})
        .end_object();
    out.key("versions")
        .begin_object()
        .field("postgresql", postgres)
        .end_object()
        .key("figures")
        .begin_array();
    for (const auto& f : figures_) {
      out.begin_object().field("name", f.name).key("labels").begin_object();
      for (const auto& [key, value] : f.labels)
        out.field(key, value);
      out.end_object().key("value").number(f.value).field("unit", f.unit);
      if (f.target)
        out.key("target").number(*f.target).key("ok").boolean(good(f));
      out.end_object();
    }
    out.end_array().end_object();
    return out.take();
  }

 private:
  static bool good(const figure& f) { return f.at_most ? f.value <= *f.target : f.value >= *f.target; }
  settings how_;
  std::vector<figure> figures_;
};

std::size_t turns_of(turn_kind kind, std::size_t sessions) {
  const std::size_t base = kind == turn_kind::paced ? 3 : kind == turn_kind::tool ? 8 : 16;
  return std::max<std::size_t>(base * sessions, kind == turn_kind::paced ? 20 : 200);
}

void measure_kind(report& out, stage& stage, turn_kind kind, std::size_t sessions, int rounds) {
  std::vector<double> rate, own, postgres, gym, wal;
  auto handles = stage.open_sessions(sessions);
  measure_turns(stage, handles, kind, sessions); // warm
  for (int round = 0; round < rounds; ++round) {
    const auto cost = measure_turns(stage, handles, kind, turns_of(kind, sessions));
    rate.push_back(cost.turns_per_second);
    own.push_back(cost.troupe_ms);
    postgres.push_back(cost.postgres_ms);
    gym.push_back(cost.gym_ms);
    wal.push_back(cost.wal_bytes);
  }
  const labels where{{"kind", name_of(kind)}, {"sessions", std::to_string(sessions)}};
  auto with_process = [&](const char* process) {
    labels all = where;
    all.emplace_back("process", process);
    return all;
  };
  const bool many = sessions >= 32;
  const bool simple = kind == turn_kind::simple;
  out.add({"turns_per_second", where, median(rate), "turns/s",
      simple && sessions == 256 ? std::optional(1000.0) : std::nullopt, false});
  const auto own_target = !many ? std::nullopt
      : simple                  ? std::optional(0.5)
      : kind == turn_kind::tool ? std::optional(1.2)
                                : std::nullopt;
  const auto postgres_target = !many ? std::nullopt
      : simple                       ? std::optional(0.5)
      : kind == turn_kind::tool      ? std::optional(1.0)
                                     : std::nullopt;
  out.add({"cpu_ms_per_turn", with_process("troupe"), median(own), "ms", own_target});
  out.add({"cpu_ms_per_turn", with_process("postgres"), median(postgres), "ms", postgres_target});
  out.add({"cpu_ms_per_turn", with_process("gym"), median(gym), "ms", std::nullopt});
  if (sessions == 32)
    out.add({"wal_bytes_per_turn", {{"kind", name_of(kind)}}, median(wal), "B",
        simple ? std::optional(3584.0) : std::nullopt});
}

void yardsticks(report& out, stage& stage, int rounds) {
  const database_meter database(stage.database_url());
  if (out.wants("pgbench_inserts_per_second"))
    for (const int clients : {1, 32}) {
      std::vector<double> rates;
      for (int round = 0; round < rounds; ++round)
        rates.push_back(database.pgbench_inserts_per_second(clients, 2));
      out.add({"pgbench_inserts_per_second", {{"clients", std::to_string(clients)}}, median(rates), "rows/s",
          std::nullopt});
    }
  if (out.wants("gym_streams_per_second"))
    for (const std::size_t at_once : {1U, 32U, 256U}) {
      std::vector<double> rates;
      for (int round = 0; round < rounds; ++round)
        rates.push_back(stage.gym_streams_per_second(turn_kind::simple, at_once, 2000));
      out.add({"gym_streams_per_second", {{"streams", std::to_string(at_once)}}, median(rates), "streams/s",
          std::nullopt});
    }
}

int measure(const settings& how, const std::filesystem::path& troupe) {
  stage stage(troupe);
  report out(how);
  yardsticks(out, stage, how.rounds);
  for (const auto kind : {turn_kind::simple, turn_kind::tool, turn_kind::paced})
    for (const std::size_t sessions : {1U, 32U, 256U})
      if (out.wants("turns_per_second") || out.wants("cpu_ms_per_turn") || out.wants("wal_bytes_per_turn")
          || out.wants(name_of(kind)))
        measure_kind(out, stage, kind, sessions, how.rounds);
  if (how.json)
    std::cout << out.as_json(database_meter(stage.database_url()).version()) << "\n";
  return 0;
}

} // namespace

} // namespace troupe::bench

int main(int count, char** words) {
  troupe::bench::settings how;
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
