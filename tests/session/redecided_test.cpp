// I-9: the decisions made again from what the log holds, nothing else, give what was recorded.
#include "session/evolve.hpp"
#include "session/replay/redecide.hpp"
#include "tests/support/append_kind.hpp"
#include "tests/support/logs.hpp"

#include <boost/test/unit_test.hpp>

#include <map>

using namespace troupe;

BOOST_AUTO_TEST_SUITE(redecided)

namespace {

// What this version has no command for: a fork.
const std::map<std::string, std::size_t>& appends_without_a_command() {
  static const std::map<std::string, std::size_t> skipped{{"12-fork-in-a-batch", 1}};
  return skipped;
}

bool is_beyond_this_version(std::span<const event> append) {
  for (const auto& event : append)
    if (std::holds_alternative<session_forked>(event.data))
      return true;
  return false;
}

} // namespace

BOOST_AUTO_TEST_CASE(the_worked_logs_are_decided_again_as_they_stand) {
  for (const auto& log : testing::worked_logs()) {
    session::state before;
    std::size_t skipped = 0;
    for (std::size_t first = 0; first < log.events.size();) {
      std::size_t last = first;
      while (last < log.events.size() && log.recorded[last].append_seq == log.recorded[first].append_seq)
        ++last;
      const std::span<const event> append(log.events.data() + first, last - first);
      if (is_beyond_this_version(append)) {
        ++skipped;
      } else {
        const auto other =
            session::redecided_difference(testing::kind_of_append(before, append), before, append);
        BOOST_TEST(!other,
            log.name << " event " << other->seq << ": " << other->expected << " was " << other->found);
      }
      for (; first < last; ++first)
        session::evolve(before, log.events[first]);
    }
    const auto allowed = appends_without_a_command().find(log.name);
    BOOST_TEST(skipped == (allowed == appends_without_a_command().end() ? 0U : allowed->second), log.name);
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
