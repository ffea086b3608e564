// Sessions over HTTP: made once, listed, changed, erased; messages accepted once.
#include "tests/served/served.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {
const std::string hello = R"({"reply":[{"text":"Hi there."}]})";
}

BOOST_AUTO_TEST_SUITE(served_sessions)

BOOST_AUTO_TEST_CASE(what_rules_and_client_tools_name_wrongly_is_refused_with_its_place) {
  served here(R"({"reply":[{"text":"Hi."}]})");
  const auto rule = here.post("/v1/sessions",
      R"({"id":"s","tools":["stage"],"permissions":[{"tool":"*","decision":"ask"},{"tool":"hodl","decision":"deny"}]})");
  BOOST_TEST(rule.status == 400);
  BOOST_TEST(rule.body.find("/permissions/1/tool") != std::string::npos, rule.body);
  BOOST_TEST(rule.body.find("did you mean `hold`?") != std::string::npos, rule.body);
  const auto tool = here.post("/v1/sessions",
      R"({"id":"s","client_tools":[{"name":"c","description":"","parameters":{"type":"object"},"execution":"slow"}]})");
  BOOST_TEST(tool.status == 400);
  BOOST_TEST(tool.body.find("expected `parallel` or `sequential`") != std::string::npos, tool.body);
  here.make("s");
  BOOST_TEST(
      here.patch("/v1/sessions/s", R"({"permissions":[{"tool":"stage","decision":"ask"}]})").status == 400);
  BOOST_TEST(
      here.patch("/v1/sessions/s", R"({"permissions":[{"tool":"hold","decision":"ask"}]})").status == 200);
}

BOOST_AUTO_TEST_CASE(a_session_is_made_once_under_an_id) {
  served here(hello);
  const std::string body = R"({"id":"s","tools":["stage"],"metadata":{"a":1.50}})";
  const auto made = here.post("/v1/sessions", body);
  BOOST_TEST(made.status == 201);
  BOOST_TEST(made.at("status") == "idle");
  BOOST_TEST(made.at("tenant") == "default");
  BOOST_TEST(made.at("head_seq") == "1");
  BOOST_TEST(made.at("metadata") == R"({"a":1.50})");
  BOOST_TEST(made.at("usage/input_tokens") == "null");
  const auto again = here.post("/v1/sessions", body);
  BOOST_TEST(again.status == 200);
  BOOST_TEST(again.at("created_at") == made.at("created_at"));
  BOOST_TEST(here.post("/v1/sessions", R"({"id":"s","max_turns":3})").status == 409);
  BOOST_TEST(here.post("/v1/sessions").status == 201); // an id of our own
}

BOOST_AUTO_TEST_CASE(the_same_creation_again_is_no_conflict_after_a_change) {
  served here(hello);
  here.make("s");
  BOOST_TEST(here.patch("/v1/sessions/s", R"({"max_turns":7})").at("max_turns") == "7");
  BOOST_TEST(here.post("/v1/sessions", R"({"id":"s","tools":["stage"]})").at("max_turns") == "7");
}

BOOST_AUTO_TEST_CASE(what_is_wrong_with_options_is_named) {
  served here(hello);
  const auto wrong = here.post("/v1/sessions",
      R"({"id":"a b","max_turns":-1,"temperature":9,"effort":"huge","metadata":[],"tool":1})");
  BOOST_TEST(wrong.status == 400);
  for (const char* const pointer : {"/tool"})
    BOOST_TEST(
        wrong.body.find(std::string("\"pointer\":\"") + pointer + "\"") != std::string::npos, wrong.body);
  const auto also = here.post(
      "/v1/sessions", R"({"id":"a b","max_turns":-1,"temperature":9,"effort":"huge","metadata":[]})");
  for (const char* const pointer : {"/id", "/max_turns", "/temperature", "/effort", "/metadata"})
    BOOST_TEST(
        also.body.find(std::string("\"pointer\":\"") + pointer + "\"") != std::string::npos, also.body);
  BOOST_TEST(here.post("/v1/sessions", R"({"provider":"gim"})").body.find("did you mean `gym`")
      != std::string::npos);
  BOOST_TEST(here.post("/v1/sessions", R"({"tools":["hodl"]})").status == 400);
  BOOST_TEST(here.get("/v1/sessions").size("sessions") == 0U); // nothing of it was made
}

BOOST_AUTO_TEST_CASE(bounds_that_were_lowered_hold) {
  gateway::server_settings settings;
  settings.limits.id_characters_max = 36;
  settings.http.json_depth_max = 4;
  served here(hello, {}, settings);
  const std::string id(36, 'a');
  BOOST_TEST(here.post("/v1/sessions", R"({"id":")" + id + "\"}").status == 201);
  const auto long_id = here.post("/v1/sessions", R"({"id":")" + id + "a\"}");
  BOOST_TEST(long_id.status == 400);
  BOOST_TEST(long_id.body.find("1 to 36 of") != std::string::npos, long_id.body);
  BOOST_TEST(here.post("/v1/sessions", R"({"metadata":{"a":[1]}})").status == 201);
  const auto deep = here.post("/v1/sessions", R"({"metadata":{"a":[[1]]}})");
  BOOST_TEST(deep.status == 400);
  BOOST_TEST(deep.body.find("deeper than 4 levels") != std::string::npos, deep.body);
}

BOOST_AUTO_TEST_CASE(pages_of_sessions_go_on_where_the_last_ended) {
  served here(hello);
  for (int i = 0; i < 5; ++i)
    here.make("s" + std::to_string(i));
  std::string seen;
  std::string cursor;
  do {
    const auto page = here.get("/v1/sessions?limit=2" + (cursor.empty() ? "" : "&cursor=" + cursor));
    BOOST_REQUIRE_MESSAGE(page.status == 200, page.body);
    for (std::size_t i = 0; i < page.size("sessions"); ++i)
      seen += page.at("sessions/" + std::to_string(i) + "/id") + " ";
    cursor = page.at("next_cursor");
  } while (cursor != "null");
  BOOST_TEST(seen == "s4 s3 s2 s1 s0 ");
  BOOST_TEST(here.get("/v1/sessions?status=running").size("sessions") == 0U);
  BOOST_TEST(here.get("/v1/sessions?cursor=nonsense").status == 400);
  BOOST_TEST(here.get("/v1/sessions?limit=0").status == 400);
}

BOOST_AUTO_TEST_CASE(a_message_is_answered_by_itself) {
  served here(hello);
  here.make("s");
  const auto accepted = here.say("s", "Hello");
  BOOST_TEST(accepted.status == 202);
  BOOST_TEST(accepted.at("duplicate") == "false");
  const auto idle = here.until_idle("s");
  BOOST_TEST(idle.at("status") == "idle");
  const auto context = here.get("/v1/sessions/s/context");
  BOOST_TEST(context.at("messages/1/content/0/text") == "Hi there.");
  BOOST_TEST(context.at("seq") == idle.at("head_seq"));
  BOOST_TEST(here.get("/v1/sessions/s/context?at=5").size("messages") == 1U);
  BOOST_TEST(here.get("/v1/sessions/s/context?at=1").size("messages") == 0U);
  BOOST_TEST(here.get("/v1/sessions/s/state?at=4").at("status") == "running");
  BOOST_TEST(here.get("/v1/sessions/s/state?at=99").status == 400);
  BOOST_TEST(here.play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(a_message_id_is_taken_once_whatever_queue_and_settings) {
  served here(hello);
  here.make("s");
  const auto first = here.say("s", "Hello", R"(,"id":"m1")");
  const auto again = here.post(
      "/v1/sessions/s/messages", R"({"delivery":"steer","content":"Hello","id":"m1","effort":"low"})");
  BOOST_TEST(again.status == 202);
  BOOST_TEST(again.at("duplicate") == "true");
  BOOST_TEST(again.at("seq") == first.at("seq"));
  BOOST_TEST(here.say("s", "Other", R"(,"id":"m1")").status == 409);
  here.until_idle("s");
  BOOST_TEST(here.play.count("s", "message.queued") == 1U);
}

BOOST_AUTO_TEST_CASE(bad_messages_are_refused_and_change_nothing) {
  served here(hello);
  here.make("s");
  for (const char* const body :
      {R"({"content":"x"})", R"({"delivery":"sned","content":"x"})", R"({"delivery":"send"})",
          R"({"delivery":"send","content":5})", R"({"delivery":"send","content":[{"type":"txet"}]})",
          R"({"delivery":"send","content":"x","id":"no blank"})",
          R"({"delivery":"send","content":"x","metadata":3})",
          R"({"delivery":"send","content":"x","provider":"none"})", "[]", "{", "nonsense"})
    BOOST_TEST(here.post("/v1/sessions/s/messages", body).status == 400, body);
  BOOST_TEST(here.say("nobody", "x").status == 404);
  BOOST_TEST(here.get("/v1/sessions/s").at("head_seq") == "1");
}

BOOST_AUTO_TEST_CASE(what_is_queued_is_seen_and_withdrawn) {
  served here(R"({"reply":[{"hold":"gate"},{"text":"Done."}]})");
  here.make("s");
  here.say("s", "first");
  BOOST_REQUIRE(here.play.gym->wait_until_held("gate", patience));
  here.say("s", "second", R"(,"id":"two")");
  here.post("/v1/sessions/s/messages", R"({"delivery":"steer","content":"third","id":"three"})");
  const auto queues = here.get("/v1/sessions/s/queues");
  BOOST_TEST(queues.at("send/0/message_id") == "two");
  BOOST_TEST(queues.at("steer/0/content") == "third");
  BOOST_TEST(here.remove("/v1/sessions/s/messages?queue=send").at("withdrawn") == R"(["two"])");
  BOOST_TEST(here.remove("/v1/sessions/s/messages").at("withdrawn") == R"(["three"])");
  BOOST_TEST(here.remove("/v1/sessions/s/messages").at("withdrawn") == "[]");
  here.play.gym->release("gate");
  here.until_idle("s");
}

BOOST_AUTO_TEST_CASE(options_change_while_the_session_lives) {
  served here(R"({"when":{"has_tool_result":true},"reply":[{"text":"Done."}]}
{"reply":[)"
      + hold_call("x") + "]}");
  here.make("s");
  const auto changed = here.patch("/v1/sessions/s",
      R"({"permissions":[{"tool":"*","decision":"deny","reason":"Not today."}],"metadata":{"k":1}})");
  BOOST_TEST(changed.status == 200, changed.body);
  here.say("s", "Hello");
  here.until_idle("s");
  BOOST_TEST(
      here.get("/v1/sessions/s/context").body.find("[Permission denied] Not today.") != std::string::npos);
  BOOST_TEST(here.patch("/v1/sessions/s", R"({"metadata":null})").at("metadata") == "");
  for (const char* const body : {R"({"id":"t"})", R"({"model":"m"})", R"({"provider":"gym"})",
           R"({"effort":"low"})", R"({"service_tier":"x"})"})
    BOOST_TEST(here.patch("/v1/sessions/s", body).status == 400, body);
  const auto head = here.get("/v1/sessions/s").at("head_seq");
  BOOST_TEST(
      here.patch("/v1/sessions/s", "{}").at("head_seq") == head); // what changes nothing writes nothing
  BOOST_TEST(here.patch("/v1/sessions/nobody", "{}").status == 404);
}

BOOST_AUTO_TEST_CASE(an_erased_session_is_gone_though_it_runs) {
  served here(R"({"reply":[{"hold":"gate"},{"text":"Done."}]})");
  here.make("s");
  event_reader watching(here.port(), "s");
  here.say("s", "Hello");
  BOOST_REQUIRE(here.play.gym->wait_until_held("gate", patience));
  BOOST_TEST(here.remove("/v1/sessions/s").status == 204);
  BOOST_TEST(here.get("/v1/sessions/s").status == 404);
  BOOST_TEST(here.say("s", "Hello").status == 404);
  BOOST_TEST(here.remove("/v1/sessions/s").status == 404);
  while (!watching.next().name.empty()) // its streams end
    ;
  here.make("s"); // the id is free again
}

BOOST_AUTO_TEST_CASE(what_a_server_tells_of_itself) {
  served here(hello);
  BOOST_TEST(here.get("/healthz").status == 200);
  BOOST_TEST(here.get("/readyz").status == 200);
  BOOST_TEST(here.get("/v1/models").at("providers/0/id") == "gym");
  BOOST_TEST(here.get("/v1/tools").body.find("\"hold\"") != std::string::npos);
  const auto api = here.get("/openapi.json");
  for (const char* const path : {"/v1/sessions", "/v1/sessions/{id}/messages", "/v1/sessions/{id}/events",
           "/v1/sessions/{id}/executions/{execution_id}/result", "/readyz"})
    BOOST_TEST(api.body.find("\"" + std::string(path) + "\"") != std::string::npos, path);
}

BOOST_AUTO_TEST_SUITE_END()
