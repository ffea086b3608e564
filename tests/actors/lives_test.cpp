// Nodes come and go, sessions are many: big texts, crowds, and closing in the middle of everything.
#include "actors/reception.hpp"
#include "tests/actors/stage.hpp"

#include <future>
#include <thread>

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(lives)

namespace {

std::string last_request(stage& play) {
  const std::string text = play.gym->requests();
  const auto all = must(json::parse(text));
  return std::string(all.items().back().source());
}

} // namespace

BOOST_AUTO_TEST_CASE(a_verification_holds_up_nobody_who_reads_and_ends_with_its_node) {
  stage play(R"({"reply":[{"text":"Fine."}]})");
  auto session = play.open("s");
  say(session, "Hello");
  until_idle(session);
  actors::reception desk(play.node());
  std::promise<void> goes_on;
  play.node().examine([&](persistence::journal&) { goes_on.get_future().wait(); }); // one that takes long
  std::promise<result<actors::verification>> verified;
  desk.verify("s", [&](const result<actors::verification>& found) { verified.set_value(found); });
  std::promise<std::size_t> page;
  desk.events("s", 0, 100, {},
      [&](const result<actors::events_page>& read) { page.set_value(read ? read->events.size() : 0); });
  BOOST_TEST(page.get_future().get() == play.stored("s").size());
  const auto& node = play.node();
  auto releasing = std::async(std::launch::async, [&] {
    while (!node.is_leaving()) // it waits for what is examined
      std::this_thread::yield();
    goes_on.set_value();
  });
  play.close_first();
  releasing.get();
  BOOST_TEST(code_of(verified.get_future().get()) == "unavailable");
}

BOOST_AUTO_TEST_CASE(big_texts_survive_a_reload_and_reach_the_provider) {
  stage play(
      R"({"when":{"last_user_contains":"uuu","has_tool_result":false},"reply":[{"call":{"name":"big","arguments":{"bytes":20000}}}]}
{"reply":[{"text":"Fine."}]})");
  const std::string said(20'000, 'u');
  const std::string told(20'000, 'i');
  const std::string shown(20'000, 't');
  auto session = play.open("s", [&](options& wanted) { wanted.instructions = large_text(told); });
  say(session, said, "m1");
  until_idle(session);
  for (const auto& stored : play.stored("s"))
    BOOST_TEST(stored.payload.size() < 9'000U);
  play.close_first();
  const auto second = play.start();
  auto again = must(second->open(play.options_of("s"), actors::opening::find));
  say(again, "and now?", "m2");
  until_idle(again);
  const std::string request = last_request(play);
  BOOST_TEST((request.find(said) != std::string::npos));
  BOOST_TEST((request.find(told) != std::string::npos));
  BOOST_TEST((request.find(shown) != std::string::npos));
  BOOST_TEST((all_of<run_finished>(play.log("s")).back().outcome.kind == run_outcome_kind::completed));
  BOOST_TEST(say(again, said, "m1").duplicate);
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(many_sessions_at_once_are_each_whole) {
  stage play(R"({"when":{"has_tool_result":true},"reply":[{"text":"Done."}]}
{"reply":[{"text":"So."},{"call":{"name":"big","arguments":{"bytes":3}}},{"call":{"name":"big","arguments":{"bytes":4}}}]})");
  play.close_first();
  const auto node = play.start("crowded", [](actors::node_settings& settings) { settings.writers = 2; });
  std::vector<actors::session_handle> sessions;
  constexpr int crowd = 64;
  for (int i = 0; i < crowd; ++i)
    sessions.push_back(must(node->open(play.options_of("s" + std::to_string(i)), actors::opening::create)));
  for (int turn = 0; turn < 3; ++turn)
    for (auto& session : sessions)
      say(session, "turn " + std::to_string(turn));
  for (auto& session : sessions) {
    BOOST_TEST(!until_idle(session).has_queued());
    BOOST_TEST(play.wrong_with(session.id()) == "");
    BOOST_TEST(play.count(session.id(), "tool.receipt") == 6U);
    for (const auto& end : all_of<run_finished>(play.log(session.id())))
      BOOST_TEST((end.outcome.kind == run_outcome_kind::completed));
  }
}

BOOST_AUTO_TEST_CASE(closing_in_the_middle_of_everything_loses_nothing) {
  stage play(R"({"when":{"has_tool_result":true},"reply":[{"text":"Done."}]}
{"when":{"last_user_contains":"stream"},"times":1,"reply":[{"thinking":"Hm."},{"text":"It "},{"hold":"gate"},{"text":"is."}]}
{"when":{"last_user_contains":"tool"},"reply":[)"
      + hold_call("a") + R"(]}
{"when":{"last_user_contains":"ask"},"reply":[)"
      + hold_call("b") + R"(]}
{"reply":[{"text":"Fine."}]})");
  play.gates.open("b");
  auto streaming = play.open("streaming");
  auto calling = play.open("calling");
  auto asking = play.open("asking", [](options& wanted) {
    wanted.permissions = std::vector<permission_rule>{{"hold", permission::ask, std::nullopt}};
  });
  say(streaming, "stream", "m1");
  say(calling, "tool", "m1");
  say(asking, "ask", "m1");
  BOOST_TEST(play.gym->wait_until_held("gate", patience));
  BOOST_TEST(play.gates.wait_until_begun("a"));
  until_attention(asking);
  for (auto* const session : {&streaming, &calling, &asking})
    say(*session, "queued", "m2");
  play.close_first();

  const auto second = play.start();
  for (const auto* const id : {"streaming", "calling", "asking"}) {
    auto session = must(second->open(play.options_of(id), actors::opening::find));
    if (std::string(id) == "asking")
      must(session.order(
          decide_permission{until_attention(session).calls.at(0).decision_id, true, "user", {}, {}}));
    BOOST_TEST(!until_idle(session).has_queued());
    BOOST_TEST(play.count(id, "message.queued") == 2U);
    BOOST_TEST(play.wrong_with(id) == "");
    BOOST_TEST((all_of<run_finished>(play.log(id)).back().outcome.kind == run_outcome_kind::completed));
  }
  BOOST_TEST(play.count("streaming", "output.voided") == 1U);
  BOOST_TEST(play.gates.begun("a") == 1U);
  BOOST_TEST(play.gates.begun("b") == 1U);
}

BOOST_AUTO_TEST_CASE(closing_while_the_store_takes_nothing_does_not_hang) {
  stage play(R"({"reply":[{"text":"Fine."}]})");
  auto session = play.open("s");
  say(session, "Hello", "m1");
  until_idle(session);
  play.store->expect(persistence::made_fault::full);
  result<actors::acceptance> answer = problem{};
  std::thread posting([&] { answer = session.post(text_message("Hello", "m2")); });
  BOOST_TEST(play.wait_for_trouble());
  play.close_first();
  posting.join();
  BOOST_TEST(code_of(answer) == "unavailable");
  play.store->heal();
  const auto second = play.start();
  auto again = must(second->open(play.options_of("s"), actors::opening::find));
  BOOST_TEST(!say(again, "Hello", "m2").duplicate);
  until_idle(again);
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(whoever_asks_a_session_of_a_node_that_has_ended_is_told) {
  stage play(R"({"reply":[{"text":"Fine."}]})");
  auto session = play.open("s");
  play.close_first();
  BOOST_TEST(code_of(session.post(text_message("Hello"))) == "unavailable");
  BOOST_TEST(code_of(session.look()) == "unavailable");
  BOOST_TEST(code_of(session.abort("user")) == "unavailable");
  std::string told;
  session.order(troupe::start{}, [&](const result<std::int64_t>& head) { told = code_of(head); });
  BOOST_TEST(told == "unavailable");
}

BOOST_AUTO_TEST_CASE(a_durable_tool_runs_again_after_a_restart_and_another_does_not) {
  gate_board gates;
  stage play(R"({"when":{"has_tool_result":true},"reply":[{"text":"Done."}]}
{"reply":[)"
          + hold_call("a", "lasting") + "," + hold_call("b") + "]}",
      make_hold(gates, [](tools::tool_spec& spec) {
        spec.name = "lasting";
        spec.durable = true;
      }));
  auto session = play.open("s");
  say(session, "Do it");
  BOOST_TEST(gates.wait_until_begun("a"));
  BOOST_TEST(play.gates.wait_until_begun("b"));
  play.close_first();
  gates.open("a");
  const auto second = play.start();
  auto again = must(second->open(play.options_of("s"), actors::opening::find));
  until_idle(again);
  BOOST_TEST(gates.begun("a") == 2U);
  BOOST_TEST(play.gates.begun("b") == 1U);
  std::set<std::string> executions;
  for (const auto& started : all_of<tool_started>(play.log("s")))
    executions.insert(started.execution_id);
  BOOST_TEST(executions.size() == 2U);
  BOOST_TEST(play.wrong_with("s", {"lasting"}) == "");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::testing
