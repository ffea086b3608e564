// I-9: the decisions made again from what the log holds, nothing else, give what was recorded.
#include "session/evolve.hpp"
#include "session/replay/redecide.hpp"
#include "tests/support/append_kind.hpp"
#include "tests/support/logs.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;

BOOST_AUTO_TEST_SUITE(redecided)

BOOST_AUTO_TEST_CASE(the_worked_logs_are_decided_again_as_they_stand) {
  for (const auto& log : testing::worked_logs()) {
    session::state before;
    for (std::size_t first = 0; first < log.events.size();) {
      std::size_t last = first;
      while (last < log.events.size() && log.recorded[last].append_seq == log.recorded[first].append_seq)
        ++last;
      const std::span<const event> append(log.events.data() + first, last - first);
      const auto other =
          session::redecided_difference(testing::kind_of_append(before, append), before, append);
      BOOST_TEST(
          !other, log.name << " event " << other->seq << ": " << other->expected << " was " << other->found);
      for (; first < last; ++first)
        session::evolve(before, log.events[first]);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_changed_fact_is_seen) {
  const auto& log = testing::worked_logs().front();
  auto events = log.events;
  std::get<run_finished>(events.back().data).outcome.kind = run_outcome_kind::max_tokens;
  const auto before = session::fold(std::span(events).first(6));
  const std::span<const event> append = std::span(events).subspan(6);
  const auto other = session::redecided_difference(testing::kind_of_append(before, append), before, append);
  BOOST_REQUIRE(other);
  BOOST_TEST(other->seq == 10);
  BOOST_TEST(other->found.rfind("run.finished", 0) == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
