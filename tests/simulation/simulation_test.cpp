// A few hundred seeds of the simulator in every test run; scripts/simulate runs as many as wanted.
#include "telemetry/log.hpp"
#include "tests/simulation/simulation.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::simulation;

BOOST_AUTO_TEST_SUITE(simulations)

BOOST_AUTO_TEST_CASE(the_same_seed_is_the_same_run) {
  troupe::telemetry::set_least_level(troupe::telemetry::level::none);
  for (const std::uint64_t seed : {7U, 23U, 1001U, 40'000U}) {
    const auto first = simulate(seed);
    BOOST_TEST(simulate(seed).hash == first.hash);
    BOOST_TEST(simulate(seed, true).hash == first.hash); // looking on changes nothing
    BOOST_TEST(simulate(seed + 1).hash != first.hash);
  }
}

BOOST_AUTO_TEST_CASE(no_rule_is_broken_in_any_of_the_first_worlds) {
  troupe::telemetry::set_least_level(troupe::telemetry::level::none);
  outcome sum;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const auto one = simulate(seed);
    if (one.breach)
      BOOST_ERROR(report(simulate(seed, true)));
    sum.events += one.events;
    sum.invocations += one.invocations;
    sum.crashes += one.crashes;
    sum.deltas += one.deltas;
    sum.succeeded += one.succeeded;
  }
  // so that no world stands still without anybody noticing
  BOOST_TEST(sum.events > 10'000U);
  BOOST_TEST(sum.invocations > 500U);
  BOOST_TEST(sum.crashes > 100U);
  BOOST_TEST(sum.deltas > 1000U);
  BOOST_TEST(sum.succeeded > 1000U);
}

BOOST_AUTO_TEST_SUITE_END()
