// The project's own tree against the rules of the house.
#include "tests/tidy/rules.hpp"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(the_tree)

BOOST_AUTO_TEST_CASE(keeps_to_the_rules_of_the_house) {
  const auto files = troupe::tidy::read_tree(TROUPE_SOURCE_DIR);
  BOOST_TEST(files.size() > 100U);
  for (const auto& found : troupe::tidy::check_all(files))
    BOOST_ERROR(found.where << " " << found.what << " (" << found.reason << ")");
}

BOOST_AUTO_TEST_SUITE_END()
