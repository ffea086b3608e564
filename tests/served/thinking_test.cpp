// Efforts over HTTP: what a session and its messages may ask for, and what reaches the provider of it.
#include "tests/served/served.hpp"

using namespace troupe;
using namespace troupe::testing;

BOOST_AUTO_TEST_SUITE(served_thinking)

namespace {

const std::string hello = R"({"reply":[{"text":"Hi."}]})";

/// The gym as a provider that wants tokens, and takes these efforts.
std::function<void(actors::node_settings&)> by_budget(std::vector<std::string> efforts = {}) {
  return [efforts](actors::node_settings& settings) {
    settings.providers["gym"].thinks_by_budget = true;
    settings.providers["gym"].fact.efforts = efforts;
  };
}

/// What the request number `n` to the gym, from 0, says at this path.
std::string asked(served& here, std::size_t n, const std::string& path) {
  return answered{200, here.play.gym->requests()}.at(std::to_string(n) + "/body/" + path);
}

bool has(const answered& answer, const std::string& words) {
  return answer.body.find(words) != std::string::npos;
}

} // namespace

BOOST_AUTO_TEST_CASE(an_effort_becomes_tokens_and_the_answer_keeps_its_room) {
  served here(hello, by_budget());
  here.make("s", R"(,"effort":"low","max_output_tokens":500,"temperature":0.5)");
  here.say("s", "Hello");
  here.until_idle("s");
  BOOST_TEST(asked(here, 0, "thinking") == R"({"type":"enabled","budget_tokens":2048})");
  BOOST_TEST(asked(here, 0, "max_tokens") == "2548");
  BOOST_TEST(asked(here, 0, "temperature") == "");
  here.say("s", "Hello", R"(,"effort":"off")");
  here.until_idle("s");
  BOOST_TEST(asked(here, 1, "thinking") == R"({"type":"disabled"})");
  BOOST_TEST(asked(here, 1, "max_tokens") == "500");
  BOOST_TEST(asked(here, 1, "temperature") == "0.5");
}

BOOST_AUTO_TEST_CASE(budgets_of_the_session_hold_and_are_changed_and_taken_back) {
  served here(hello, by_budget());
  here.make("s", R"(,"effort":"max","thinking_budgets":{"high":20000})");
  BOOST_TEST(here.get("/v1/sessions/s").at("thinking_budgets/high") == "20000");
  here.say("s", "Hello");
  here.until_idle("s");
  BOOST_TEST(asked(here, 0, "thinking/budget_tokens") == "20000");
  BOOST_TEST(here.patch("/v1/sessions/s", R"({"thinking_budgets":{"max":30000}})").status == 200);
  here.say("s", "Hello");
  here.until_idle("s");
  BOOST_TEST(asked(here, 1, "thinking/budget_tokens") == "30000");
  BOOST_TEST(here.patch("/v1/sessions/s", R"({"thinking_budgets":null})").status == 200);
  here.say("s", "Hello");
  here.until_idle("s");
  BOOST_TEST(asked(here, 2, "thinking/budget_tokens") == "16384");
}

BOOST_AUTO_TEST_CASE(an_effort_that_the_provider_does_not_take_is_clamped_and_told) {
  served here(hello, by_budget({"off", "low", "medium"}));
  here.make("s", R"(,"effort":"high")");
  here.say("s", "Hello");
  here.until_idle("s");
  const auto started = all_of<inference_started>(here.play.log("s")).at(0);
  BOOST_TEST(started.effort.value() == "medium");
  BOOST_TEST(started.effort_requested.value() == "high");
  BOOST_TEST(asked(here, 0, "thinking/budget_tokens") == "8192");
  BOOST_TEST(here.get("/v1/sessions/s").at("effort") == "high");
  BOOST_TEST(here.play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(a_provider_that_wants_the_word_gets_the_word) {
  served here(hello);
  here.make("s", R"(,"effort":"xhigh")");
  here.say("s", "Hello");
  here.until_idle("s");
  BOOST_TEST(asked(here, 0, "thinking") == R"({"type":"adaptive"})");
  BOOST_TEST(asked(here, 0, "output_config/effort") == "xhigh");
}

BOOST_AUTO_TEST_CASE(an_unknown_effort_is_refused_where_it_comes_in) {
  served here(hello);
  here.make("s");
  const auto said = here.say("s", "Hello", R"(,"effort":"huge")");
  BOOST_TEST(said.status == 400);
  BOOST_TEST(said.at("errors/0/pointer") == "/effort");
  BOOST_TEST(has(said, "is one of off, minimal, low, medium, high, xhigh, max"), said.body);
  BOOST_TEST(here.get("/v1/sessions/s").at("head_seq") == "1");
  const auto made = here.post("/v1/sessions", R"({"thinking_budgets":{"low":5}})");
  BOOST_TEST(made.status == 400);
  BOOST_TEST(made.at("errors/0/pointer") == "/thinking_budgets/low");
  BOOST_TEST(here.patch("/v1/sessions/s", R"({"thinking_budgets":[]})").status == 400);
}

// The service refuses thinking in the middle of a round of tools that began without.
BOOST_AUTO_TEST_CASE(an_effort_that_comes_within_a_round_of_tools_waits_for_its_end) {
  served here(R"({"when":{"has_tool_result":true},"reply":[{"text":"Done."}]}
{"reply":[)"
          + hold_call("x") + "]}",
      by_budget());
  here.make("s", R"(,"effort":"off")");
  here.say("s", "Go");
  BOOST_REQUIRE(here.play.gates.wait_until_begun("x"));
  here.post("/v1/sessions/s/messages", R"({"delivery":"steer","content":"Think","effort":"high"})");
  here.play.gates.open("x");
  here.until_idle("s");
  BOOST_TEST(asked(here, 1, "thinking") == R"({"type":"disabled"})");
  BOOST_TEST(asked(here, 1, "max_tokens") == "8192");
}

BOOST_AUTO_TEST_SUITE_END()
