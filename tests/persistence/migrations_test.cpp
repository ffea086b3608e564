// The migrations are numbered without holes and each can be taken back.
#include "persistence/migrator.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::persistence;

BOOST_AUTO_TEST_SUITE(migrations_suite)

BOOST_AUTO_TEST_CASE(steps_are_numbered_from_one) {
  int expected = 1;
  for (const auto& step : migrations()) {
    BOOST_TEST(step.version == expected++);
    BOOST_TEST(!step.up.empty());
    BOOST_TEST(!step.down.empty());
  }
  BOOST_TEST(expected > 1);
}

BOOST_AUTO_TEST_SUITE_END()
