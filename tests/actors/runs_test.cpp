// A run from its message to its end: answers, batches of tools, steering, sends, limits.
#include "tests/actors/stage.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(runs)

BOOST_AUTO_TEST_CASE(a_message_is_answered_and_every_step_stands_in_the_log) {
  stage play(R"({"reply":[{"text":"Good morning."}]})");
  auto session = play.open("s");
  BOOST_TEST(session.created());
  BOOST_TEST(say(session, "Hello").seq == 2);
  const auto state = until_idle(session);
  BOOST_TEST(play.types("s")
      == "session.created message.queued run.started turn.started messages.consumed inference.started "
         "assistant.block inference.finished turn.finished run.finished");
  BOOST_TEST(play.wrong_with("s") == "");
  BOOST_TEST(state.context.last_role() == "assistant");
  BOOST_TEST(play.row("s").view.status == "idle");
  BOOST_TEST(!play.row("s").view.needs_work);
}

BOOST_AUTO_TEST_CASE(receipts_stand_in_the_order_of_completion_and_results_in_that_of_the_calls) {
  stage play(R"({"when":{"has_tool_result":true},"reply":[{"text":"Done."}]}
{"reply":[)"
      + hold_call("a") + "," + hold_call("b") + "," + hold_call("c") + "]}");
  auto session = play.open("s");
  auto stream = session.follow(0);
  say(session, "Do it");
  for (const auto* const name : {"a", "b", "c"})
    BOOST_TEST(play.gates.wait_until_begun(name));
  for (const auto* const name : {"c", "a", "b"}) {
    play.gates.open(name);
    const auto receipt = std::get<tool_receipt>(await(*stream, "tool.receipt").data);
    BOOST_TEST(plain_text(receipt.content) == "held " + std::string(name));
    BOOST_TEST((receipt.outcome == tool_outcome::completed));
  }
  until_idle(session);
  std::vector<std::int64_t> order;
  for (const auto& result : all_of<tool_result>(play.log("s")))
    order.push_back(result.index);
  BOOST_TEST(order == (std::vector<std::int64_t>{0, 1, 2}), boost::test_tools::per_element());
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(steering_joins_behind_the_batch_and_sends_come_one_at_a_time) {
  stage play(R"({"when":{"last_user_contains":"first"},"reply":[)" + hold_call("a") + R"(]}
{"when":{"last_user_contains":"steer"},"reply":[{"text":"Steered."}]}
{"reply":[{"text":"Sent."}]})");
  auto session = play.open("s");
  say(session, "first", "m1");
  BOOST_TEST(play.gates.wait_until_begun("a"));
  say(session, "second", "m2");
  say(session, "third", "m3");
  say(session, "steer", "m4", delivery::steer);
  play.gates.open("a");
  until_idle(session);
  std::vector<std::string> taken;
  for (const auto& consumed : all_of<messages_consumed>(play.log("s")))
    for (const auto& id : consumed.message_ids)
      taken.push_back(id);
  BOOST_TEST(taken == (std::vector<std::string>{"m1", "m4", "m2", "m3"}), boost::test_tools::per_element());
  BOOST_TEST(play.count("s", "messages.consumed") == 4U);
  BOOST_TEST(play.count("s", "turn.started") == 1U);
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(max_turns_ends_the_run_and_start_answers_what_is_owed) {
  stage play(R"({"when":{"has_tool_result":true},"reply":[{"text":"Done."}]}
{"reply":[{"call":{"name":"big","arguments":{"bytes":3}}}]})");
  auto session = play.open("s", [](options& wanted) { wanted.max_turns = 1; });
  say(session, "Do it");
  auto state = until_idle(session);
  auto ends = all_of<run_finished>(play.log("s"));
  BOOST_REQUIRE_EQUAL(ends.size(), 1U);
  BOOST_TEST((ends[0].outcome.kind == run_outcome_kind::max_turns));
  BOOST_TEST((state.owed == session::owed_kind::inference));
  must(session.order(start{}));
  until_idle(session);
  ends = all_of<run_finished>(play.log("s"));
  BOOST_REQUIRE_EQUAL(ends.size(), 2U);
  BOOST_TEST((ends[1].outcome.kind == run_outcome_kind::completed));
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(a_call_that_cannot_run_gets_its_reason_as_a_result) {
  gate_board gates;
  stage play(R"({"when":{"has_tool_result":true},"reply":[{"text":"I see."}]}
{"reply":[{"call":{"name":"nothing","arguments":{}}},{"call":{"name":"hold","raw_arguments":"{\"name\":"}},{"call":{"name":"hold","arguments":{"name":7}}},{"call":{"name":"boom","arguments":{}}},{"call":{"name":"brief","arguments":{"name":"never"}}}]})",
      make_hold(gates, [](tools::tool_spec& spec) {
        spec.name = "brief";
        spec.timeout_ms = 20;
      }));
  auto session = play.open("s");
  say(session, "Do it");
  until_idle(session);
  std::map<std::string, std::string> texts;
  std::map<std::string, std::string> names;
  const auto log = play.log("s");
  const auto requested = all_of<tools_requested>(log).at(0);
  for (const auto& call : requested.calls)
    names[call.execution_id] = std::to_string(call.index);
  for (const auto& receipt : all_of<tool_receipt>(log)) {
    texts[names[receipt.execution_id]] = plain_text(receipt.content);
    BOOST_TEST(receipt.is_error);
  }
  BOOST_TEST(texts["0"] == "Tool \"nothing\" is not available.");
  BOOST_TEST(texts["1"] == "The arguments for \"hold\" were not valid JSON.");
  BOOST_TEST(texts["2"].starts_with("The arguments for \"hold\" did not match its schema. "));
  BOOST_TEST(texts["3"] == "it blew up");
  BOOST_TEST(texts["4"] == "The tool call was not answered in time.");
  for (const auto& receipt : all_of<tool_receipt>(log))
    if (names[receipt.execution_id] == "4")
      BOOST_TEST((receipt.error_kind == error_kind::timeout));
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(a_sequential_batch_runs_one_call_after_the_other) {
  stage play(R"({"when":{"has_tool_result":true},"reply":[{"text":"Done."}]}
{"reply":[)"
      + hold_call("a") + "," + hold_call("b") + "]}");
  auto session = play.open("s", [](options& wanted) { wanted.tool_execution = execution_mode::sequential; });
  say(session, "Do it");
  BOOST_TEST(play.gates.wait_until_begun("a"));
  BOOST_TEST(play.gates.begun("b") == 0U);
  play.gates.open("a");
  BOOST_TEST(play.gates.wait_until_begun("b"));
  play.gates.open("b");
  until_idle(session);
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::testing
