// An abort is obeyed at once, wherever the run is and whatever the database does.
#include "tests/actors/stage.hpp"

#include <atomic>
#include <thread>

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(aborts)

namespace {

run_outcome_kind last_outcome(stage& play) { return all_of<run_finished>(play.log("s")).back().outcome.kind; }

const std::string two_holds = R"({"when":{"has_tool_result":true},"reply":[{"text":"Done."}]}
{"when":{"last_user_contains":"Do it"},"reply":[)"
    + hold_call("a") + "," + hold_call("b") + R"(]}
{"reply":[{"text":"Fine."}]})";

void one_by_one(options& wanted) { wanted.tool_execution = execution_mode::sequential; }

} // namespace

BOOST_AUTO_TEST_CASE(in_mid_stream_what_is_finished_stays) {
  stage play(R"({"reply":[{"thinking":"Let me see."},{"text":"It is "},{"hold":"gate"},{"text":"so."}]})");
  auto session = play.open("s");
  auto stream = session.follow(0);
  say(session, "Hello");
  await(*stream, "assistant.block"); // the thinking; the text isn't finished
  BOOST_TEST(play.gym->wait_until_held("gate", patience));
  must(session.abort("user"));
  const auto state = until_idle(session);
  const auto log = play.log("s");
  BOOST_TEST(play.types("s").ends_with(
      "assistant.block abort.requested inference.finished turn.finished run.finished"));
  BOOST_TEST((all_of<inference_finished>(log).at(0).state == inference_state::cancelled));
  BOOST_TEST(all_of<run_finished>(log).at(0).outcome.by.value() == "user");
  BOOST_TEST(state.context.last_role() == "assistant");
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(while_a_tool_runs_nothing_starts_afterwards) {
  stage play(two_holds);
  auto session = play.open("s", one_by_one);
  say(session, "Do it");
  BOOST_TEST(play.gates.wait_until_begun("a"));
  must(session.abort("user"));
  until_idle(session);
  const auto receipts = all_of<tool_receipt>(play.log("s"));
  BOOST_REQUIRE_EQUAL(receipts.size(), 2U);
  BOOST_TEST((receipts[0].outcome == tool_outcome::aborted));
  BOOST_TEST((receipts[1].outcome == tool_outcome::not_started));
  BOOST_TEST(play.gates.begun("b") == 0U);
  BOOST_TEST(play.count("s", "inference.started") == 1U);
  BOOST_TEST((last_outcome(play) == run_outcome_kind::aborted));
  say(session, "and now?"); // and the context is one that a provider takes
  until_idle(session);
  BOOST_TEST((last_outcome(play) == run_outcome_kind::completed));
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(while_idle_it_changes_nothing) {
  stage play(two_holds);
  auto session = play.open("s");
  BOOST_TEST(must(session.abort("user")) == 1);
  say(session, "Hello");
  until_idle(session);
  const auto head = play.row("s").head;
  BOOST_TEST(must(session.abort("user")) == head);
  say(session, "Hello again");
  until_idle(session);
  BOOST_TEST(play.count("s", "abort.requested") == 0U);
  BOOST_TEST((last_outcome(play) == run_outcome_kind::completed));
}

BOOST_AUTO_TEST_CASE(twice_is_once) {
  stage play(two_holds);
  auto session = play.open("s", one_by_one);
  say(session, "Do it");
  BOOST_TEST(play.gates.wait_until_begun("a"));
  must(session.abort("user"));
  must(session.abort("user"));
  until_idle(session);
  BOOST_TEST(play.count("s", "abort.requested") == 1U);
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(effects_stop_at_once_while_the_store_takes_nothing_and_the_fact_follows) {
  stage play(two_holds);
  auto session = play.open("s");
  say(session, "Do it");
  BOOST_TEST(play.gates.wait_until_begun("a"));
  BOOST_TEST(play.gates.wait_until_begun("b"));
  play.store->expect(persistence::made_fault::full);
  std::thread aborting([&] { BOOST_TEST(session.abort("user").has_value()); });
  BOOST_TEST(play.gates.wait_until_stopped("a"));
  BOOST_TEST(play.gates.wait_until_stopped("b"));
  BOOST_TEST(play.wait_for_trouble());
  BOOST_TEST(play.count("s", "abort.requested") == 0U);
  play.store->heal();
  aborting.join();
  BOOST_TEST(play.count("s", "abort.requested") == 1U);
  until_idle(session);
  for (const auto& receipt : all_of<tool_receipt>(play.log("s")))
    BOOST_TEST((receipt.outcome == tool_outcome::aborted));
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(what_was_decided_before_the_abort_but_not_begun_never_begins) {
  stage play(two_holds);
  auto session = play.open("s", one_by_one);
  say(session, "Do it");
  BOOST_TEST(play.gates.wait_until_begun("a"));
  play.store->expect(persistence::made_fault::full);
  play.gates.open("a");
  BOOST_TEST(play.wait_for_trouble()); // the receipt of a waits; behind it b would be started
  const auto before = std::chrono::steady_clock::now();
  std::thread aborting([&] { BOOST_TEST(session.abort("user").has_value()); });
  play.store->heal();
  aborting.join();
  until_idle(session);
  BOOST_TEST((std::chrono::steady_clock::now() - before < std::chrono::seconds(5)));
  BOOST_TEST(play.count("s", "abort.requested") <= 1U);
  BOOST_TEST(play.wrong_with("s") == "");
  if (play.gates.begun("b") != 0) // the abort came after b had begun: then b was stopped
    BOOST_TEST(play.gates.wait_until_stopped("b"));
}

BOOST_AUTO_TEST_CASE(what_was_queued_before_waits_for_start_and_what_comes_after_starts_a_run) {
  stage play(two_holds);
  auto session = play.open("s");
  say(session, "Do it", "m1");
  BOOST_TEST(play.gates.wait_until_begun("a"));
  say(session, "queued before", "m2");
  must(session.abort("user"));
  auto state = until_idle(session);
  BOOST_TEST(state.held);
  BOOST_TEST(state.sends.size() == 1U);
  must(session.order(start{}));
  state = until_idle(session);
  BOOST_TEST(state.sends.empty());
  BOOST_TEST(play.count("s", "run.started") == 2U);
  say(session, "after", "m3");
  until_idle(session);
  BOOST_TEST(play.count("s", "run.started") == 3U);
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(a_message_after_the_abort_takes_what_was_held_with_it) {
  stage play(two_holds);
  auto session = play.open("s");
  say(session, "Do it", "m1");
  BOOST_TEST(play.gates.wait_until_begun("a"));
  say(session, "queued before", "m2");
  must(session.abort("user"));
  say(session, "after", "m3");
  const auto state = until_idle(session);
  BOOST_TEST(!state.has_queued());
  BOOST_TEST(play.count("s", "run.started") == 2U);
  BOOST_TEST((last_outcome(play) == run_outcome_kind::completed));
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(it_holds_over_a_restart) {
  stage play(two_holds);
  auto session = play.open("s");
  say(session, "Do it", "m1");
  BOOST_TEST(play.gates.wait_until_begun("a"));
  say(session, "queued before", "m2");
  must(session.abort("user"));
  until_idle(session);
  play.close_first();
  const auto second = play.start();
  auto again = must(second->open(play.options_of("s"), actors::opening::find));
  BOOST_TEST(until_idle(again).held);
  BOOST_TEST(play.count("s", "run.started") == 1U);
  must(again.order(start{}));
  BOOST_TEST(!until_idle(again).has_queued());
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(at_whatever_moment_it_comes_the_session_goes_on) {
  stage play(R"({"when":{"has_tool_result":true},"reply":[{"text":"Done."}]}
{"reply":[{"text":"So."},{"call":{"name":"big","arguments":{"bytes":3}}}]})");
  auto session = play.open("s");
  std::atomic<bool> over{false};
  std::vector<std::thread> aborting;
  for (int i = 0; i < 3; ++i)
    aborting.emplace_back([&] {
      while (!over)
        BOOST_TEST(session.abort("user").has_value());
    });
  for (int i = 0; i < 150; ++i)
    say(session, "Hello");
  over = true;
  for (auto& thread : aborting)
    thread.join();
  say(session, "the last");
  const auto state = until_idle(session);
  BOOST_TEST(!state.has_queued());
  BOOST_TEST((last_outcome(play) == run_outcome_kind::completed));
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::testing
