// Older events are read through their steps, one after the other.
#include "messages/upcast.hpp"

#include <boost/test/unit_test.hpp>

#include <array>

using namespace troupe;

BOOST_AUTO_TEST_SUITE(upcasting)

namespace {

const std::array steps{
    upcaster{"turn.started", 1, [](const std::string& p) { return p + "+2"; }},
    upcaster{"run.started", 1, [](const std::string& p) { return p + "!"; }},
    upcaster{"turn.started", 2, [](const std::string& p) { return p + "+3"; }},
};

} // namespace

BOOST_AUTO_TEST_CASE(each_step_is_taken_once_and_in_order) {
  BOOST_TEST(upcast("turn.started", 1, "p", steps).value() == "p+2+3");
  BOOST_TEST(upcast("turn.started", 2, "p", steps).value() == "p+3");
  BOOST_TEST(upcast("turn.started", 3, "p", steps).value() == "p");
  BOOST_TEST(upcast("run.started", 1, "p", steps).value() == "p!");
  BOOST_TEST(upcast("run.finished", 1, "p", steps).value() == "p");
}

BOOST_AUTO_TEST_CASE(a_version_of_the_future_is_refused) {
  BOOST_TEST(newest_version("turn.started", steps) == 3);
  BOOST_TEST(upcast("turn.started", 4, "p", steps).error().detail
      == "`turn.started` has version 4, this build reads 1 to 3");
  BOOST_TEST(!upcast("turn.started", 0, "p", steps));
}

BOOST_AUTO_TEST_CASE(every_type_is_still_at_its_first_version) { BOOST_TEST(upcasters().empty()); }

BOOST_AUTO_TEST_SUITE_END()
