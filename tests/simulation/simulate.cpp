// Runs many seeds, prints what is wrong with the first that fails, and how much was gone through.
#include "telemetry/log.hpp"
#include "tests/simulation/simulation.hpp"

#include <cstdlib>
#include <cstring>
#include <iostream>

namespace {

using namespace troupe::simulation;

struct wishes {
  std::uint64_t from = 1;
  std::uint64_t seeds = 1000;
  std::uint64_t step = 1; ///< every so many: several processes share the seeds
  bool trace = false;
};

bool parse(int count, char** words, wishes& out) {
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--trace") {
      out.trace = true;
      continue;
    }
    if (i + 1 >= count)
      return false;
    const std::uint64_t number = std::strtoull(words[++i], nullptr, 10);
    if (word == "--seed")
      out.from = number, out.seeds = 1;
    else if (word == "--from")
      out.from = number;
    else if (word == "--seeds")
      out.seeds = number;
    else if (word == "--every")
      out.step = number;
    else
      return false;
  }
  return true;
}

} // namespace

int main(int count, char** words) {
  wishes wanted;
  if (!parse(count, words, wanted)) {
    std::cerr << "simulation [--seed N] [--from N] [--seeds N] [--every N] [--trace]; see scripts/simulate\n";
    return 2;
  }
  troupe::telemetry::set_least_level(troupe::telemetry::level::none);
  outcome sum;
  std::uint64_t done = 0;
  for (std::uint64_t seed = wanted.from; seed < wanted.from + wanted.seeds; seed += wanted.step) {
    const auto one = simulate(seed, wanted.trace);
    if (wanted.trace)
      for (const auto& line : one.trace)
        std::cout << line << '\n';
    if (one.breach) {
      std::cout << report(wanted.trace ? one : simulate(seed, true)) << std::flush;
      return 1;
    }
    ++done;
    sum.steps += one.steps;
    sum.events += one.events;
    sum.invocations += one.invocations;
    sum.crashes += one.crashes;
    sum.asked += one.asked;
    sum.succeeded += one.succeeded;
    sum.deltas += one.deltas;
    sum.virtual_ms += one.virtual_ms;
  }
  std::cout << done << " seeds, nothing broken: " << sum.steps << " steps, " << sum.virtual_ms / 3'600'000
            << " h, " << sum.events << " events, " << sum.invocations << " tool invocations, " << sum.deltas
            << " deltas, " << sum.crashes << " crashes, " << sum.succeeded << " of " << sum.asked
            << " requests answered\n";
  return 0;
}
