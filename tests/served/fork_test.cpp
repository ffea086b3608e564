// Forks over HTTP: from any event, closed where they began, and sessions like any other.
#include "tests/served/served.hpp"

using namespace troupe;
using namespace troupe::testing;

BOOST_AUTO_TEST_SUITE(served_forks)

namespace {

const std::string answers = R"({"when":{"last_user_contains":"French"},"reply":[{"text":"Bonjour."}]}
{"when":{"has_tool_result":true},"reply":[{"text":"Done."}]}
{"when":{"last_user_contains":"Do it"},"reply":[)"
    + hold_call("a") + R"(]}
{"reply":[{"text":"Hello."}]})";

} // namespace

BOOST_AUTO_TEST_CASE(a_fork_goes_on_by_itself_and_its_parent_stays_as_it_was) {
  served here(answers);
  here.make("s");
  here.say("s", "Hi");
  const auto head = here.until_idle("s").at("head_seq");
  const auto made = here.post("/v1/sessions/s/fork", R"({"at":)" + head + R"(,"id":"f"})");
  BOOST_TEST(made.status == 201, made.body);
  BOOST_TEST(made.at("id") == "f");
  BOOST_TEST(made.at("status") == "idle");
  BOOST_TEST(made.at("forked_from/session") == "s");
  BOOST_TEST(made.at("forked_from/seq") == head);
  here.say("f", "In French");
  here.until_idle("f");
  BOOST_TEST(here.get("/v1/sessions/f/context").size("messages") == 4U);
  BOOST_TEST(here.get("/v1/sessions/s/context").size("messages") == 2U);
  BOOST_TEST(here.get("/v1/sessions/f").at("forked_from/seq") == head);
  BOOST_TEST(here.get("/v1/sessions/s").at("head_seq") == head);
  BOOST_TEST(here.play.wrong_with("f") == "");
  BOOST_TEST(here.play.wrong_with("s") == "");
  event_reader stream(here.port(), "f", "?follow=false");
  BOOST_TEST(stream.next().id == "1");
  BOOST_TEST(here.get("/v1/sessions").size("sessions") == 2U);
}

BOOST_AUTO_TEST_CASE(every_event_of_a_run_is_a_cut_also_while_it_goes_on) {
  served here(answers);
  here.make("s");
  here.say("s", "Do it");
  BOOST_REQUIRE(here.play.gates.wait_until_begun("a"));
  const auto head = std::stoll(here.get("/v1/sessions/s").at("head_seq"));
  for (std::int64_t at = 1; at <= head; ++at) {
    const auto id = "f" + std::to_string(at);
    const auto made =
        here.post("/v1/sessions/s/fork", R"({"at":)" + std::to_string(at) + R"(,"id":")" + id + "\"}");
    BOOST_TEST(made.status == 201, made.body);
    BOOST_TEST(made.at("status") == "idle", made.body);
    here.say(id, "Hi again");
    here.until_idle(id);
    const auto wrong = here.play.wrong_with(id);
    BOOST_TEST(wrong == "", id << ": " << wrong);
    BOOST_TEST(here.post("/v1/sessions/" + id + "/verify").at("ok") == "true", id);
  }
  BOOST_TEST(here.get("/v1/sessions/s").at("status") == "running");
  here.play.gates.open("a");
  here.until_idle("s");
  BOOST_TEST(here.play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(options_may_differ_and_what_is_wrong_is_told_by_its_place) {
  served here(answers);
  here.make("s");
  here.say("s", "Hi");
  here.until_idle("s");
  const auto made =
      here.post("/v1/sessions/s/fork", R"({"at":5,"options":{"instructions":"Be brief.","max_turns":3}})");
  BOOST_TEST(made.status == 201, made.body);
  BOOST_TEST(made.at("instructions") == "Be brief.");
  BOOST_TEST(made.at("max_turns") == "3");
  const auto wrong = [&](const std::string& body) { return here.post("/v1/sessions/s/fork", body); };
  BOOST_TEST(wrong(R"({"at":0})").status == 400);
  BOOST_TEST(wrong(R"({"at":9999})").status == 400);
  BOOST_TEST(wrong(R"({"at":9999})").at("errors/0/pointer") == "/at");
  BOOST_TEST(wrong(R"({"at":1,"id":"no spaces"})").status == 400);
  BOOST_TEST(wrong(R"({"at":1,"options":{"max_turns":-1}})").at("errors/0/pointer") == "/options/max_turns");
  BOOST_TEST(wrong(R"({"at":1,"options":{"nonsense":1}})").status == 400);
  BOOST_TEST(wrong(R"({"at":1,"options":{"provider":"nobody"}})").status == 400);
  BOOST_TEST(wrong(R"({"at":1,"id":"s"})").status == 409);
  BOOST_TEST(here.post("/v1/sessions/nobody/fork", R"({"at":1})").status == 404);
}

BOOST_AUTO_TEST_CASE(a_fork_outlives_its_parent) {
  served here(answers);
  here.make("s");
  here.say("s", "Hi", R"(,"id":"m1")");
  const auto head = here.until_idle("s").at("head_seq");
  here.post("/v1/sessions/s/fork", R"({"at":)" + head + R"(,"id":"f"})");
  BOOST_TEST(here.remove("/v1/sessions/s").status == 204);
  BOOST_TEST(here.say("f", "Hi", R"(,"id":"m1")").at("duplicate") == "true"); // it knows its messages
  here.say("f", "In French");
  here.until_idle("f");
  BOOST_TEST(here.get("/v1/sessions/f/context").size("messages") == 4U);
  BOOST_TEST(here.play.wrong_with("f") == "");
}

BOOST_AUTO_TEST_SUITE_END()
