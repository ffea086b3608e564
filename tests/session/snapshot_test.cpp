// Snapshots: the same state by snapshot and tail as by the whole log, and never trusted over it.
#include "session/evolve.hpp"
#include "session/snapshot.hpp"
#include "tests/support/logs.hpp"
#include "tests/support/snapshots.hpp"
#include "tests/support/world.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;

BOOST_AUTO_TEST_SUITE(snapshots)

BOOST_AUTO_TEST_CASE(every_worked_log_is_folded_on_from_wherever_it_rests) {
  for (const auto& log : testing::worked_logs())
    BOOST_TEST(testing::snapshot_breach(log.events).value_or("") == "", log.name);
}

BOOST_AUTO_TEST_CASE(what_waits_outlives_a_reset_behind_a_removed_beginning) {
  options wanted;
  wanted.retention = "context";
  testing::world w(wanted);
  const auto say = [&](const char* id) {
    w.apply(accept_message{
        id, delivery::send, content("Hello"), std::nullopt, std::nullopt, std::nullopt, "client"});
    w.settle();
  };
  say("m1");
  say("m2"); // waits for the answer to the first
  w.apply(abort_run{"user"});
  w.apply(settle_abort{});
  w.settle();
  BOOST_REQUIRE(w.now().held);
  const auto removed = w.log().size();
  w.apply(trim{std::string(64, 'a')});
  w.apply(reset_context{std::nullopt});
  BOOST_REQUIRE(w.now().has_queued());
  const auto left = std::span<const event>(w.log()).subspan(removed);
  BOOST_TEST(testing::snapshot_breach(left).value_or("") == "");
  BOOST_TEST(testing::told(session::fold(left)) == testing::told(w.now()));
}

BOOST_AUTO_TEST_CASE(one_of_another_context_is_refused) {
  const auto log = testing::worked_logs().front();
  const auto state = session::fold(log.events);
  BOOST_REQUIRE(session::can_be_kept(state));
  session::restoring restoring(session::read_kept(session::keep(state)).value());
  for (const auto& happened : log.events)
    if (!std::holds_alternative<assistant_block>(happened.data))
      restoring.fold(happened);
  BOOST_TEST(!restoring.done().has_value());
}

BOOST_AUTO_TEST_CASE(what_is_no_snapshot_is_refused) {
  for (const char* const text : {"", "{", "{}", "[]", R"({"head":"x"})"})
    BOOST_TEST(!session::read_kept(text).has_value(), text);
}

BOOST_AUTO_TEST_SUITE_END()
