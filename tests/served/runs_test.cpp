// Runs over HTTP: stopped, gone on with, waited for; and what waits for somebody.
#include "tests/served/served.hpp"

using namespace troupe;
using namespace troupe::testing;

BOOST_AUTO_TEST_SUITE(served_runs)

namespace {

const std::string remote_call = R"({"call":{"name":"remote","arguments":{"x":1}}})";
const std::string remote_rules = R"({"when":{"has_tool_result":true},"reply":[{"text":"Done."}]}
{"reply":[)"
    + remote_call + "]}";
std::string remote_tool(const std::string& more = {}) {
  return R"(,"client_tools":[{"name":"remote","description":"Far away.","parameters":{"type":"object"})"
      + more + "}]";
}
std::string open_call(served& here, const std::string& list, const std::string& field) {
  here.until_attention("s");
  return here.get("/v1/sessions/s/decisions").at(list + "/0/" + field);
}

/// What two clients are told who ask for the same at the same moment.
std::vector<std::string> asked_twice_at_once(served& here, const std::string& path) {
  std::vector<std::string> statuses(2);
  std::vector<std::thread> clients;
  for (auto& status : statuses)
    clients.emplace_back([&] { status = here.post(path).at("status"); });
  for (auto& client : clients)
    client.join();
  return statuses;
}

} // namespace

BOOST_AUTO_TEST_CASE(an_abort_is_answered_once_the_run_has_stopped) {
  served here(R"({"reply":[{"text":"One "},{"hold":"gate"},{"text":"two."}]})");
  here.make("s");
  BOOST_TEST(here.post("/v1/sessions/s/abort").at("status") == "idle"); // when idle too
  here.say("s", "Hello");
  BOOST_REQUIRE(here.play.gym->wait_until_held("gate", patience));
  BOOST_TEST(here.post("/v1/sessions/s/abort").at("status") == "idle");
  BOOST_TEST(here.play.count("s", "run.finished") == 1U);
  BOOST_TEST(here.play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(an_abort_that_is_asked_for_twice_is_answered_twice_once_it_has_stopped) {
  served here(R"({"reply":[)" + hold_call("slow") + "]}");
  here.make("s");
  here.say("s", "Hello");
  BOOST_REQUIRE(here.play.gates.wait_until_begun("slow"));
  const auto statuses = asked_twice_at_once(here, "/v1/sessions/s/abort");
  BOOST_TEST(statuses[0] == "idle");
  BOOST_TEST(statuses[1] == "idle");
  BOOST_TEST(here.play.count("s", "abort.requested") == 1U);
}

BOOST_AUTO_TEST_CASE(the_time_of_a_client_tool_is_bounded) {
  served here(remote_rules);
  for (const char* const time : {"0", "-1", "604800001", "9223372036854775807"}) {
    const auto refused = here.post("/v1/sessions",
        R"({"client_tools":[{"name":"remote","description":"","parameters":{"type":"object"},"timeout_ms":)"
            + std::string(time) + "}]}");
    BOOST_TEST(refused.status == 400, time);
    BOOST_TEST(refused.body.find("/client_tools/0/timeout_ms") != std::string::npos, refused.body);
  }
}

BOOST_AUTO_TEST_CASE(nothing_to_continue_is_a_conflict) {
  served here(R"({"reply":[{"text":"Hi."}]})");
  here.make("s");
  BOOST_TEST(here.post("/v1/sessions/s/continue").status == 409);
  here.say("s", "Hello");
  here.until_idle("s");
  BOOST_TEST(here.post("/v1/sessions/s/continue").status == 409);
  BOOST_TEST(here.post("/v1/sessions/s/start").status == 202);
  BOOST_TEST(here.post("/v1/sessions/nobody/start").status == 404);
}

BOOST_AUTO_TEST_CASE(what_an_abort_leaves_queued_waits_for_continue) {
  served here(R"({"when":{"last_user_contains":"first"},"reply":[{"hold":"gate"},{"text":"Never."}]}
{"reply":[{"text":"Second."}]})");
  here.make("s");
  here.say("s", "first");
  BOOST_REQUIRE(here.play.gym->wait_until_held("gate", patience));
  here.say("s", "second");
  here.post("/v1/sessions/s/abort");
  BOOST_TEST(here.get("/v1/sessions/s/queues").size("send") == 1U);
  BOOST_TEST(here.post("/v1/sessions/s/continue").status == 202);
  here.until_idle("s");
  BOOST_TEST(here.get("/v1/sessions/s/queues").size("send") == 0U);
}

BOOST_AUTO_TEST_CASE(a_wait_ends_with_its_time) {
  served here(R"({"reply":[{"hold":"gate"},{"text":"Done."}]})");
  here.make("s");
  here.say("s", "Hello");
  BOOST_REQUIRE(here.play.gym->wait_until_held("gate", patience));
  BOOST_TEST(here.get("/v1/sessions/s/wait?timeout_ms=10").status == 204);
  BOOST_TEST(here.get("/v1/sessions/s/wait?timeout_ms=60001").status == 400);
  BOOST_TEST(here.get("/v1/sessions/nobody/wait").status == 404);
  here.play.gym->release("gate");
  here.until_idle("s");
}

BOOST_AUTO_TEST_CASE(an_ask_is_answered_once_and_the_same_again_succeeds_for_ever) {
  served here(R"({"when":{"has_tool_result":true},"reply":[{"text":"Done."}]}
{"reply":[{"call":{"name":"big","arguments":{"bytes":20000}}}]})");
  here.make("s", R"(,"permissions":[{"tool":"*","decision":"ask"}])");
  here.say("s", "Hello");
  const auto id = open_call(here, "permissions", "decision_id");
  const std::string path = "/v1/sessions/s/decisions/" + id;
  BOOST_TEST(here.get("/v1/decisions").at("permissions/0/decision_id") == id);
  BOOST_TEST(here.get("/v1/decisions").at("permissions/0/session_id") == "s");
  BOOST_TEST(here.post(path, R"({"decision":"maybe"})").status == 400);
  BOOST_TEST(here.post(path, R"({"decision":"deny","arguments":{}})").status == 400);
  BOOST_TEST(here.post("/v1/sessions/s/decisions/other", R"({"decision":"allow"})").status == 404);
  BOOST_TEST(here.post(path, R"({"decision":"allow"})").status == 200);
  here.until_idle("s");
  BOOST_TEST(here.post(path, R"({"decision":"allow"})").status == 200); // long after its batch
  BOOST_TEST(here.post(path, R"({"decision":"deny"})").status == 409);
  BOOST_TEST(here.play.count("s", "permission.decided") == 1U);
}

BOOST_AUTO_TEST_CASE(a_client_carries_out_its_tool) {
  served here(remote_rules);
  here.make("s", remote_tool());
  event_reader watching(here.port(), "s");
  here.say("s", "Hello");
  const auto begun = watching.until("tool.started");
  BOOST_TEST(begun.at("data/client") == "true");
  BOOST_TEST(begun.at("data/arguments") == R"({"x":1})"); // filled in
  const auto id = begun.at("data/execution_id");
  const auto waiting = here.until_attention("s");
  BOOST_TEST(waiting.at("status") == "waiting");
  const std::string path = "/v1/sessions/s/executions/" + id + "/result";
  BOOST_TEST(here.post(path, "{}").status == 400);
  BOOST_TEST(here.post("/v1/sessions/s/executions/other/result", R"({"output":"x"})").status == 404);
  BOOST_TEST(here.post(path, R"({"output":{"b":1.50,"a":[]}})").status == 200);
  const auto result = watching.until("tool.result");
  BOOST_TEST(result.at("data/content") == R"({"b":1.50,"a":[]})"); // the receipt's, filled in
  here.until_idle("s");
  BOOST_TEST(here.post(path, R"({"output":{"b":1.50,"a":[]}})").status == 200);
  BOOST_TEST(here.post(path, R"({"output":"other"})").status == 409);
  BOOST_TEST(here.play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(of_a_big_result_the_context_shows_a_part_and_the_rest_is_kept) {
  served here(remote_rules);
  here.make("s", remote_tool());
  here.say("s", "Hello");
  const auto id = open_call(here, "client_calls", "execution_id");
  std::string text;
  while (text.size() < 1'000'000)
    text += "世界 " + std::to_string(text.size()) + " ";
  const std::string path = "/v1/sessions/s/executions/" + id + "/result";
  const std::string body = R"({"output":")" + text + "\"}";
  BOOST_TEST(here.post(path, body).status == 200);
  here.until_idle("s");
  const auto receipt = here.get("/v1/sessions/s/events?type=tool.receipt");
  const auto shown = receipt.at("events/0/data/content");
  BOOST_TEST(shown.size() <= tools::output_bytes_max);
  const auto name = receipt.at("events/0/data/rest/blob");
  BOOST_TEST(shown.find("kept as " + name) != std::string::npos);
  const auto rest = here.get("/v1/sessions/s/blobs/" + name);
  BOOST_TEST(rest.status == 200);
  BOOST_TEST((shown.substr(0, shown.rfind("\n[… ")) + rest.body == text));
  BOOST_TEST(here.get("/v1/sessions/s/context").body.find(name) != std::string::npos);
  BOOST_TEST(here.post(path, body).status == 200); // long after its batch
  BOOST_TEST(here.post(path, R"({"output":")" + text + ".\"}").status == 409);
  here.start_anew([](actors::node_settings& settings) { settings.tools.show_at_most(2048); });
  BOOST_TEST(here.post(path, body).status == 200); // also under another bound
  BOOST_TEST(here.play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(a_result_that_breaks_its_schema_changes_nothing) {
  served here(remote_rules);
  here.make("s", remote_tool(R"(,"result":{"type":"object","required":["ok"]})"));
  here.say("s", "Hello");
  const auto id = open_call(here, "client_calls", "execution_id");
  const std::string path = "/v1/sessions/s/executions/" + id + "/result";
  const auto head = here.get("/v1/sessions/s").at("head_seq");
  BOOST_TEST(here.post(path, R"({"output":{"no":1}})").status == 400);
  BOOST_TEST(here.get("/v1/sessions/s").at("head_seq") == head);
  BOOST_TEST(here.post(path, R"({"output":{"ok":1}})").status == 200);
  here.until_idle("s");
}

BOOST_AUTO_TEST_CASE(a_client_that_is_not_heard_of_in_time_is_given_up) {
  served here(remote_rules);
  here.make("s", remote_tool(R"(,"timeout_ms":1)"));
  here.say("s", "Hello");
  here.until_idle("s");
  BOOST_TEST(here.get("/v1/sessions/s/context").body.find("The tool call was not answered in time.")
      != std::string::npos);
  BOOST_TEST(here.play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(a_result_after_an_abort_is_a_conflict) {
  served here(remote_rules);
  here.make("s", remote_tool());
  here.say("s", "Hello");
  const auto id = open_call(here, "client_calls", "execution_id");
  here.post("/v1/sessions/s/abort");
  BOOST_TEST(here.post("/v1/sessions/s/executions/" + id + "/result", R"({"output":"x"})").status == 409);
}

BOOST_AUTO_TEST_CASE(a_server_that_leaves_lets_runs_end_and_takes_no_work) {
  served here(R"({"reply":[{"hold":"gate"},{"text":"Done."}]})");
  here.make("s");
  event_reader watching(here.port(), "s");
  here.say("s", "Hello");
  BOOST_REQUIRE(here.play.gym->wait_until_held("gate", patience));
  std::thread leaving([&] { BOOST_TEST(here.server().drain(std::chrono::seconds(20))); });
  while (here.get("/readyz").status == 200)
    std::this_thread::yield();
  BOOST_TEST(here.say("s", "more").status == 503);
  BOOST_TEST(here.get("/healthz").status == 200);
  here.play.gym->release("gate");
  leaving.join();
  BOOST_TEST(here.play.count("s", "run.finished") == 1U);
  BOOST_TEST(watching.until("run.finished").id != "");
}

BOOST_AUTO_TEST_CASE(a_call_that_failed_is_judged_by_a_person_where_the_session_wants_it) {
  served here(R"({"when":{"has_tool_result":true},"reply":[{"text":"Done."}]}
{"reply":[{"call":{"name":"boom","arguments":{}}},{"call":{"name":"big","arguments":{"bytes":3}}}]})");
  const auto refused = here.post("/v1/sessions", R"({"id":"t","on_failed_effect":"maybe"})");
  BOOST_TEST(refused.status == 400);
  BOOST_TEST(refused.body.find("\"/on_failed_effect\"") != std::string::npos, refused.body);
  here.make("s", R"(,"on_failed_effect":"ask")");
  here.say("s", "Hello");
  const auto id = open_call(here, "uncertain", "execution_id");
  const auto waiting = here.get("/v1/sessions/s/decisions");
  BOOST_TEST(waiting.at("uncertain/0/reason") == "failed");
  BOOST_TEST(waiting.at("uncertain/0/error").find("it blew up") != std::string::npos, waiting.body);
  BOOST_TEST(here.get("/v1/decisions").at("uncertain/0/execution_id") == id);
  const std::string path = "/v1/sessions/s/executions/" + id + "/verdict";
  BOOST_TEST(here.post(path, R"({"verdict":"rerun"})").status == 200);
  while (here.play.count("s", "tool.uncertain") < 2)
    std::this_thread::yield();
  here.until_attention("s");
  BOOST_TEST(here.get("/v1/sessions/s/decisions").at("uncertain/0/attempt") == "2");
  const std::string by_hand = R"({"verdict":"abandon","result":"I did it by hand"})";
  BOOST_TEST(here.post(path, by_hand).status == 200);
  here.until_idle("s");
  for (const auto& given : {by_hand, std::string(R"({"verdict":"rerun"})")})
    BOOST_TEST(here.post(path, given).status == 200, given); // each was given, long before
  BOOST_TEST(here.post(path, R"({"verdict":"abandon"})").status == 409);
  BOOST_TEST(here.get("/v1/sessions/s/context").at("messages/2/content/0/text") == "I did it by hand");
  BOOST_TEST(here.play.count("s", "tool.receipt") == 1U);
  BOOST_TEST(here.play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(a_reset_ends_the_run_and_empties_the_context) {
  served here(R"({"times":1,"reply":[{"text":"One "},{"hold":"gate"},{"text":"two."}]}
{"reply":[{"text":"Anew."}]})");
  here.make("s");
  here.say("s", "Hello");
  BOOST_REQUIRE(here.play.gym->wait_until_held("gate", patience));
  const auto reset = here.post("/v1/sessions/s/reset");
  BOOST_TEST(reset.status == 200, reset.body);
  BOOST_TEST(here.get("/v1/sessions/s/events?type=context.reset").at("events/0/seq") == reset.at("seq"));
  BOOST_TEST(here.get("/v1/sessions/s/events?type=run.finished").at("events/0/data/outcome/by") == "reset");
  BOOST_TEST(here.get("/v1/sessions/s/context").size("messages") == 0U);
  here.say("s", "Again");
  here.until_idle("s");
  BOOST_TEST(here.get("/v1/sessions/s/context").size("messages") == 2U);
  BOOST_TEST(here.post("/v1/sessions/s/reset").status == 200); // when idle too
  BOOST_TEST(here.post("/v1/sessions/nobody/reset").status == 404);
  BOOST_TEST(here.play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(a_closed_session_can_be_read_and_takes_no_more_work) {
  served here(R"({"reply":[)" + hold_call("slow") + "]}");
  here.make("s");
  here.say("s", "Hello");
  BOOST_REQUIRE(here.play.gates.wait_until_begun("slow"));
  const auto statuses = asked_twice_at_once(here, "/v1/sessions/s/close");
  BOOST_TEST(statuses[0] == "closed"); // both wait until it is
  BOOST_TEST(statuses[1] == "closed");
  BOOST_TEST(here.get("/v1/sessions/s").at("status") == "closed");
  BOOST_TEST(here.get("/v1/sessions?status=closed").size("sessions") == 1U);
  const auto refused = here.say("s", "more");
  BOOST_TEST(refused.status == 409);
  BOOST_TEST(refused.body.find("urn:troupe:error:closed") != std::string::npos, refused.body);
  for (const char* const path : {"/start", "/continue", "/reset"})
    BOOST_TEST(here.post(std::string("/v1/sessions/s") + path).status == 409, path);
  BOOST_TEST(here.post("/v1/sessions/s/close").at("status") == "closed");
  here.start_anew();
  BOOST_TEST(here.post("/v1/sessions/s/close").at("status") == "closed");
  BOOST_TEST(here.play.count("s", "session.closed") == 1U);
  BOOST_TEST(here.play.count("s", "run.finished") == 1U);
  BOOST_TEST(here.play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(who_waits_for_a_session_that_stays_as_it_is_is_not_held_by_a_server_that_leaves) {
  served here(remote_rules);
  here.make("s", remote_tool());
  here.say("s", "Hello");
  here.until_attention("s"); // a client's tool: it stays like this
  while (here.server().waiting() != 0)
    std::this_thread::yield(); // that wait was answered, and isn't over for the server yet
  std::thread waiting([&] {
    const auto turned_away = here.get("/v1/sessions/s/wait?for=idle&timeout_ms=60000");
    BOOST_TEST(turned_away.status == 503, turned_away.body);
    BOOST_TEST(turned_away.body.find("urn:troupe:error:draining") != std::string::npos, turned_away.body);
  });
  while (here.server().waiting() == 0)
    std::this_thread::yield();
  const auto before = std::chrono::steady_clock::now();
  BOOST_TEST(here.server().drain(std::chrono::seconds(20)));
  waiting.join();
  BOOST_TEST((std::chrono::steady_clock::now() - before < std::chrono::seconds(4)));
}

BOOST_AUTO_TEST_SUITE_END()
