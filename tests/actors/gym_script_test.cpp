// A recorded session as a script: played again, it gives the same conversation.
#include "actors/history/gym_script.hpp"
#include "tests/actors/stage.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(scripts_of_sessions)

namespace {

actors::gym_script script_of(stage& play) {
  actors::gym_script out;
  for (const auto& happened : play.log("s"))
    out.take(happened);
  return out;
}

std::string played(stage& play) {
  play.gates.open("a");
  auto session = play.open("s");
  for (const char* const text : {"Do it", "And again", "Once more"}) {
    say(session, text, std::string("m-") + text[0]);
    until_idle(session);
  }
  return must(session.look())->context.digest();
}

} // namespace

BOOST_AUTO_TEST_CASE(the_answers_come_again_in_their_order) {
  stage first(
      R"({"when":{"last_user_contains":"more"},"reply":[{"http_error":{"status":400,"message":"No."}}]}
{"when":{"last_user_contains":"again"},"reply":[{"text":"Grüße \"quoted\""},{"stop":"stop_sequence"}]}
{"when":{"has_tool_result":true},"reply":[{"text":"Done."}]}
{"reply":[{"thinking":"Hm."},{"text":"So."},)"
      + hold_call("a") + R"(,{"call":{"name":"hold","raw_arguments":"{broken"}}]})");
  const auto digest = played(first);
  const auto script = script_of(first);
  BOOST_TEST(script.answers() == 4U);
  BOOST_TEST(script.left_out() == 0U);
  stage second(script.lines());
  BOOST_TEST(played(second) == digest);
  BOOST_TEST((script_of(second).lines() == script.lines()));
}

BOOST_AUTO_TEST_CASE(an_answer_that_was_cut_off_is_left_out) {
  stage play(R"({"reply":[{"text":"Half"},{"hold":"gate"}]})");
  auto session = play.open("s");
  const auto stream = session.follow(0);
  say(session, "Hello");
  BOOST_REQUIRE(play.gym->wait_until_held("gate", patience));
  must(session.abort("user"));
  until_idle(session);
  const auto script = script_of(play);
  BOOST_TEST(script.answers() == 0U);
  BOOST_TEST(script.left_out() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::testing
