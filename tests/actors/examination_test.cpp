// What is wrong with a stored session is named, and what appending repairs is repaired.
#include "actors/history/examination.hpp"
#include "persistence/this_process.hpp"
#include "tests/actors/stage.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(examination)

namespace {

/// A session whose node went while its tool ran.
struct cut_off {
  cut_off()
      : play(R"({"when":{"has_tool_result":true},"reply":[{"text":"Done."}]}
{"reply":[)"
          + hold_call("a") + "]}") {
    auto session = play.open("s");
    say(session, "Do it");
    BOOST_REQUIRE(play.gates.wait_until_begun("a"));
    play.close_first();
  }
  std::vector<actors::session_finding> findings() {
    return must(actors::examine_session(*journal, must(journal->find(1, "s")), false)).findings;
  }

  stage play;
  std::unique_ptr<persistence::journal> journal = persistence::make_memory_journal(play.store);
};

} // namespace

BOOST_AUTO_TEST_CASE(a_session_at_rest_has_nothing_wrong) {
  stage play(R"({"reply":[{"text":"Hi."}]})");
  auto session = play.open("s");
  say(session, "Hello");
  until_idle(session);
  const auto journal = persistence::make_memory_journal(play.store);
  const auto found = must(actors::examine_session(*journal, must(journal->find(1, "s")), false));
  BOOST_TEST(found.findings.empty());
  BOOST_TEST(found.events == play.row("s").head);
}

BOOST_AUTO_TEST_CASE(what_a_dead_node_left_open_is_named_and_ended) {
  cut_off here;
  const auto found = here.findings();
  BOOST_REQUIRE(found.size() == 2U);
  BOOST_TEST(found[0].kind == "unpaired");
  BOOST_TEST(found[0].what.find("hold") != std::string::npos);
  BOOST_TEST(found[1].kind == "cut_off");
  BOOST_TEST(found[1].can_be_repaired);
  must(actors::close_what_is_open(*here.journal, 1, "s", persistence::this_process("doctor")));
  BOOST_TEST(here.findings().empty());
  const auto log = here.play.log("s");
  BOOST_TEST((all_of<tool_receipt>(log).at(0).outcome == tool_outcome::unknown));
  BOOST_TEST(all_of<tool_result>(log).size() == 1U);
  BOOST_TEST((all_of<run_finished>(log).back().outcome.kind == run_outcome_kind::aborted));
  BOOST_TEST(here.play.row("s").view.status == "idle");
  BOOST_TEST(here.play.wrong_with("s") == "");
  const auto head = here.play.row("s").head;
  must(actors::close_what_is_open(*here.journal, 1, "s", persistence::this_process("doctor")));
  BOOST_TEST(here.play.row("s").head == head); // once is enough
}

BOOST_AUTO_TEST_CASE(a_row_that_says_more_than_its_log_is_named) {
  stage play(R"({"reply":[{"text":"Hi."}]})");
  auto session = play.open("s");
  say(session, "Hello");
  until_idle(session);
  play.close_first();
  const auto journal = persistence::make_memory_journal(play.store);
  auto row = must(journal->find(1, "s"));
  row.view.needs_work = true;
  must(journal->rename(row.key, row.epoch, "t", row.view));
  const auto found = must(actors::examine_session(*journal, must(journal->find(1, "t")), false)).findings;
  BOOST_REQUIRE(found.size() == 1U);
  BOOST_TEST(found[0].kind == "row");
}

BOOST_AUTO_TEST_CASE(what_somebody_has_is_left_alone) {
  cut_off here;
  BOOST_TEST(
      must(actors::examine_session(*here.journal, must(here.journal->find(1, "s")), true)).findings.empty());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::testing
