// What the model is asked: the whole conversation, with what the session says now, and nothing unasked.
#include "tests/served/served.hpp"

using namespace troupe;
using namespace troupe::testing;

BOOST_AUTO_TEST_SUITE(served_requests)

namespace {

/// The requests that the gym had: `N/body/…`.
answered requests(served& here) { return {200, here.play.gym->requests()}; }

std::string newest(served& here, const std::string& path) {
  const auto all = requests(here);
  return all.at(std::to_string(all.size("") - 1) + "/body" + path);
}

} // namespace

BOOST_AUTO_TEST_CASE(nothing_is_asked_before_there_is_something_to_answer) {
  served here(R"({"reply":[{"text":"Hi."}]})");
  here.make("s");
  BOOST_TEST(here.post("/v1/sessions/s/start").status == 202);
  BOOST_TEST(here.until_idle("s").at("head_seq") == "1");
  BOOST_TEST(requests(here).size("") == 0U);
  here.say("s", "Hello");
  here.until_idle("s");
  here.post("/v1/sessions/s/start");
  here.until_idle("s");
  BOOST_TEST(requests(here).size("") == 1U);
}

BOOST_AUTO_TEST_CASE(a_message_that_says_nothing_is_refused_where_it_is_sent) {
  served here(R"({"reply":[{"text":"Hi."}]})");
  here.make("s");
  for (const char* const nothing : {R"("")", R"(" \n\t ")", "[]", R"([{"type":"text","text":""}])"}) {
    const auto no = here.say_blocks("s", nothing);
    BOOST_TEST(no.status == 400, no.body);
    BOOST_TEST(no.at("errors/0/pointer") == "/content", no.body);
  }
  BOOST_TEST(here.get("/v1/sessions/s").at("head_seq") == "1");
}

BOOST_AUTO_TEST_CASE(each_has_the_whole_conversation_in_its_order) {
  served here(R"({"when":{"inference":1},"reply":[{"text":"One."}]}
{"when":{"inference":2},"reply":[{"text":"Two."}]}
{"reply":[{"text":"Three."}]})");
  here.make("s");
  for (const char* const text : {"first", "second", "third"}) {
    here.say("s", text);
    here.until_idle("s");
  }
  const char* const said[] = {"first", "One.", "second", "Two.", "third"};
  BOOST_TEST(requests(here).size("2/body/messages") == std::size(said));
  for (std::size_t i = 0; i < std::size(said); ++i)
    BOOST_TEST(newest(here, "/messages/" + std::to_string(i) + "/content/0/text") == said[i]);
}

BOOST_AUTO_TEST_CASE(instructions_and_tools_are_those_of_now) {
  served here(R"({"when":{"has_tool_result":true},"reply":[{"text":"Done."}]}
{"when":{"last_user_contains":"now"},"reply":[{"call":{"name":"big","arguments":{"bytes":3}}}]}
{"reply":[{"text":"Hi."}]})");
  BOOST_TEST(here.post("/v1/sessions", R"({"id":"s","instructions":"Be A."})").status == 201);
  here.say("s", "Hello");
  here.until_idle("s");
  BOOST_TEST(newest(here, "/system/0/text") == "Be A.");
  BOOST_TEST(newest(here, "/tools") == "");
  BOOST_TEST(here.patch("/v1/sessions/s", R"({"instructions":"Be B.","tools":["stage"]})").status == 200);
  here.say("s", "now");
  here.until_idle("s");
  BOOST_TEST(newest(here, "/system/0/text") == "Be B.");
  BOOST_TEST(newest(here, "/tools").find("\"big\"") != std::string::npos);
  BOOST_TEST(here.get("/v1/sessions/s/events?type=tool.receipt").at("events/0/data/outcome") == "completed");
}

BOOST_AUTO_TEST_CASE(what_was_asked_for_goes_along_and_nothing_else) {
  served here(R"({"reply":[{"text":"Hi."}]})");
  here.make("plain");
  here.say("plain", "Hello");
  here.until_idle("plain");
  for (const char* const field : {"/temperature", "/output_config", "/thinking", "/system", "/service_tier"})
    BOOST_TEST(newest(here, field) == "", field);
  here.make("s", R"(,"max_output_tokens":123,"temperature":0.5)");
  here.say("s", "Hello");
  here.until_idle("s");
  BOOST_TEST(newest(here, "/max_tokens") == "123");
  BOOST_TEST(newest(here, "/temperature") == "0.5");
  here.say("s", "Hello", R"(,"effort":"high","service_tier":"priority")");
  here.until_idle("s");
  BOOST_TEST(newest(here, "/output_config/effort") == "high");
  BOOST_TEST(newest(here, "/service_tier") == "priority");
  here.say("s", "And on"); // what a message set stays
  here.until_idle("s");
  BOOST_TEST(newest(here, "/output_config/effort") == "high");
}

BOOST_AUTO_TEST_CASE(arguments_that_a_person_changed_are_checked_again_and_run_as_they_are) {
  served here(R"({"when":{"has_tool_result":true},"reply":[{"text":"Done."}]}
{"reply":[{"call":{"name":"big","arguments":{"bytes":3}}}]})");
  here.make("s", R"(,"permissions":[{"tool":"*","decision":"ask"}])");
  here.say("s", "Hello");
  here.until_attention("s");
  const std::string path =
      "/v1/sessions/s/decisions/" + here.get("/v1/sessions/s/decisions").at("permissions/0/decision_id");
  const auto refused = here.post(path, R"({"decision":"allow","arguments":{"bytes":"many"}})");
  BOOST_TEST(refused.status == 400);
  BOOST_TEST(refused.body.find("/bytes: expected integer") != std::string::npos, refused.body);
  BOOST_TEST(here.play.count("s", "permission.decided") == 0U);
  BOOST_TEST(here.post(path, R"({"decision":"allow","arguments":{"bytes":5}})").status == 200);
  here.until_idle("s");
  BOOST_TEST(here.get("/v1/sessions/s/events?type=tool.result").at("events/0/data/content").size() == 5U);
  BOOST_TEST(here.play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_SUITE_END()
