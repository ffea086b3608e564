// Providers that fail: before anything came, after something came, and while more is queued.
#include "tests/actors/stage.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(failing_answers)

BOOST_AUTO_TEST_CASE(a_provider_that_fails_before_anything_came_is_asked_again) {
  stage play(R"({"times":2,"reply":[{"http_error":{"status":529}}]}
{"reply":[{"text":"At last."}]})");
  auto session = play.open("s");
  auto stream = session.follow(0);
  await(*stream, "session.created"); // it hears what is live
  say(session, "Hello");
  until_idle(session);
  const auto finished = all_of<inference_finished>(play.log("s"));
  BOOST_REQUIRE_EQUAL(finished.size(), 1U);
  BOOST_TEST((finished[0].state == inference_state::completed));
  BOOST_TEST(finished[0].retries == 2);
  int announced = 0;
  while (const auto item = stream->next(patience)) {
    announced += std::holds_alternative<actors::live_retry>(*item) ? 1 : 0;
    if (const auto* const stored = std::get_if<recorded_event>(&*item);
        stored && stored->type == "run.finished")
      break;
  }
  BOOST_TEST(announced == 2);
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(an_answer_that_was_only_announced_is_asked_for_again) {
  stage play(R"({"times":1,"reply":[{"stream_error":{"type":"overloaded_error","message":"too busy"}}]}
{"reply":[{"text":"At last."}]})");
  auto session = play.open("s");
  say(session, "Hello");
  until_idle(session);
  const auto finished = all_of<inference_finished>(play.log("s"));
  BOOST_REQUIRE_EQUAL(finished.size(), 1U);
  BOOST_TEST((finished[0].state == inference_state::completed));
  BOOST_TEST(finished[0].retries == 1);
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(each_answer_has_retries_of_its_own) {
  stage play(R"({"times":2,"reply":[{"http_error":{"status":529}}]}
{"times":1,"reply":[{"call":{"name":"big","arguments":{"bytes":3}}}]}
{"times":2,"reply":[{"http_error":{"status":529}}]}
{"reply":[{"text":"At last."}]})");
  auto session = play.open("s");
  say(session, "Hello");
  until_idle(session);
  const auto finished = all_of<inference_finished>(play.log("s"));
  BOOST_REQUIRE_EQUAL(finished.size(), 2U);
  for (const auto& one : finished) {
    BOOST_TEST((one.state == inference_state::completed));
    BOOST_TEST(one.retries == 2);
  }
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(retries_have_an_end_and_the_turn_leaves_a_notice) {
  stage play(R"({"reply":[{"http_error":{"status":529,"message":"too busy"}}]})");
  auto session = play.open("s");
  say(session, "Hello");
  until_idle(session);
  BOOST_TEST(play.gym->wait_for_requests(3, patience));
  const auto log = play.log("s");
  BOOST_TEST(all_of<inference_finished>(log).at(0).retries == 2);
  BOOST_TEST(all_of<notice_added>(log).size() == 1U);
  BOOST_TEST((all_of<run_finished>(log).at(0).outcome.kind == run_outcome_kind::error));
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(a_provider_that_fails_after_the_first_block_is_not_asked_again) {
  stage play(
      R"({"reply":[{"thinking":"Well,"},{"text":"I think"},{"stream_error":{"type":"overloaded_error","message":"too busy"}}]})");
  auto session = play.open("s");
  say(session, "Hello");
  until_idle(session);
  const auto log = play.log("s");
  const auto finished = all_of<inference_finished>(log);
  BOOST_REQUIRE_EQUAL(finished.size(), 1U);
  BOOST_TEST((finished[0].state == inference_state::error));
  BOOST_TEST(finished[0].retries == 0);
  BOOST_TEST(all_of<assistant_block>(log).size() >= 1U); // what was finished stays
  const auto notices = all_of<notice_added>(log);
  BOOST_REQUIRE_EQUAL(notices.size(), 1U);
  BOOST_TEST(notices[0].text.starts_with("The last turn failed: "));
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(a_message_that_waits_while_an_answer_fails_is_answered_in_the_same_turn) {
  stage play(
      R"({"when":{"last_user_contains":"first"},"reply":[{"text":"I"},{"hold":"gate"},{"disconnect":true}]}
{"reply":[{"text":"Fine."}]})");
  auto session = play.open("s");
  say(session, "first");
  BOOST_TEST(play.gym->wait_until_held("gate", patience));
  say(session, "second");
  play.gym->release("gate");
  until_idle(session);
  const auto log = play.log("s");
  BOOST_TEST(all_of<notice_added>(log).empty());
  BOOST_TEST(all_of<turn_started>(log).size() == 1U);
  BOOST_TEST((all_of<run_finished>(log).at(0).outcome.kind == run_outcome_kind::completed));
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(calls_of_an_answer_that_broke_off_never_run) {
  stage play(R"({"when":{"last_user_contains":"again"},"reply":[{"text":"Fine."}]}
{"reply":[)"
      + hold_call("a") + R"(,{"disconnect":true}]})");
  auto session = play.open("s");
  say(session, "Do it");
  until_idle(session);
  BOOST_TEST(play.count("s", "tools.requested") == 0U);
  say(session, "again"); // the gym refuses a context in which a call has no result
  until_idle(session);
  BOOST_TEST((all_of<run_finished>(play.log("s")).back().outcome.kind == run_outcome_kind::completed));
  BOOST_TEST(play.gates.begun("a") == 0U);
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::testing
