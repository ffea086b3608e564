// Runs many seeds, prints what is wrong with the first that fails, and how much was gone through.
#include "telemetry/log.hpp"
#include "tests/simulation/simulation.hpp"

#include <array>
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <unistd.h>

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

/// Steps are counted, and a world that takes too many is told of; this is for one step that doesn't end.
constexpr unsigned seconds_of_a_world_most = 120;
std::array<char, 80> last_words{}; ///< written before: a signal's handler may only print

void give_up(int) {
  [[maybe_unused]] const auto written =
      ::write(STDOUT_FILENO, last_words.data(), std::strlen(last_words.data()));
  std::_Exit(1);
}

void watch(std::uint64_t seed) {
  ::alarm(0);
  std::snprintf(last_words.data(), last_words.size(), "seed %" PRIu64 ": a step doesn't end\n", seed);
  ::alarm(seconds_of_a_world_most);
}

} // namespace

int main(int count, char** words) {
  wishes wanted;
  if (!parse(count, words, wanted)) {
    std::cerr << "simulation [--seed N] [--from N] [--seeds N] [--every N] [--trace]; see scripts/simulate\n";
    return 2;
  }
  troupe::telemetry::set_least_level(troupe::telemetry::level::none);
  std::signal(SIGALRM, give_up);
  outcome sum;
  std::uint64_t done = 0;
  for (std::uint64_t seed = wanted.from; seed < wanted.from + wanted.seeds; seed += wanted.step) {
    watch(seed);
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
