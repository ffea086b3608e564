// What a person is asked, and what becomes of the answers.
#include "tests/actors/stage.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(permissions)

namespace {

const std::string one_hold = R"({"when":{"has_tool_result":true},"reply":[{"text":"Done."}]}
{"reply":[)"
    + hold_call("a") + "]}";

void ask_first(options& wanted) {
  wanted.permissions = std::vector<permission_rule>{{"hold", permission::ask, std::nullopt}};
}

decide_permission answer(const std::string& decision_id, bool allow) {
  return {decision_id, allow, "user", allow ? std::nullopt : std::optional<std::string>("Not today."), {}};
}

} // namespace

BOOST_AUTO_TEST_CASE(a_call_waits_for_the_answer_and_runs_when_it_is_allowed) {
  stage play(one_hold);
  play.gates.open("a");
  auto session = play.open("s", ask_first);
  say(session, "Do it");
  const auto state = until_attention(session);
  BOOST_REQUIRE_EQUAL(state.calls.size(), 1U);
  BOOST_TEST(play.gates.begun("a") == 0U);
  BOOST_TEST(play.row("s").view.status == "waiting");
  must(session.order(answer(state.calls[0].decision_id, true)));
  until_idle(session);
  BOOST_TEST(play.gates.begun("a") == 1U);
  BOOST_TEST(play.count("s", "permission.decided") == 1U);
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(a_denied_call_never_runs_and_the_model_is_told_why) {
  stage play(one_hold);
  auto session = play.open("s", ask_first);
  say(session, "Do it");
  const auto decision = until_attention(session).calls.at(0).decision_id;
  must(session.order(answer(decision, false)));
  until_idle(session);
  BOOST_TEST(play.gates.begun("a") == 0U);
  BOOST_TEST(
      plain_text(all_of<tool_receipt>(play.log("s")).at(0).content) == "[Permission denied] Not today.");
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(an_answer_is_taken_once) {
  stage play(one_hold);
  auto session = play.open("s", ask_first);
  say(session, "Do it");
  const auto decision = until_attention(session).calls.at(0).decision_id;
  must(session.order(answer(decision, true)));
  BOOST_TEST(play.gates.wait_until_begun("a"));
  must(session.order(answer(decision, true)));
  BOOST_TEST(code_of(session.order(answer(decision, false))) == "conflict");
  BOOST_TEST(code_of(session.order(answer("another", true))) == "not_found");
  play.gates.open("a");
  until_idle(session);
  BOOST_TEST(play.count("s", "permission.decided") == 1U);
  BOOST_TEST(play.gates.begun("a") == 1U);
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(an_ask_outlives_its_node) {
  stage play(one_hold);
  play.gates.open("a");
  auto session = play.open("s", ask_first);
  say(session, "Do it");
  const auto decision = until_attention(session).calls.at(0).decision_id;
  play.close_first();
  const auto second = play.start();
  auto again = must(second->open(play.options_of("s"), actors::opening::find));
  BOOST_TEST(until_attention(again).calls.at(0).decision_id == decision);
  must(again.order(answer(decision, true)));
  until_idle(again);
  BOOST_TEST(play.count("s", "permission.requested") == 1U);
  BOOST_TEST(play.gates.begun("a") == 1U);
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(an_abort_while_it_waits_expires_the_ask) {
  stage play(one_hold);
  auto session = play.open("s", ask_first);
  say(session, "Do it");
  const auto decision = until_attention(session).calls.at(0).decision_id;
  must(session.abort("user"));
  until_idle(session);
  BOOST_TEST(play.count("s", "permission.expired") == 1U);
  BOOST_TEST(!session.order(answer(decision, true)));
  BOOST_TEST(play.gates.begun("a") == 0U);
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::testing
