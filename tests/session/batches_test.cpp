// The calls of one answer: who waits for whom, what is asked, what ends the run, and what each result says.
#include "session/project.hpp"
#include "tests/support/log_rules.hpp"
#include "tests/support/world.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using testing::call_of;
using testing::count;
using testing::last;
using testing::world;

BOOST_AUTO_TEST_SUITE(batches)

namespace {

void send(world& w, const std::string& id = "m") {
  w.apply(accept_message{
      id, delivery::send, content("Hello"), std::nullopt, std::nullopt, std::nullopt, "client"});
  w.settle();
}

world with_calls(std::vector<block> calls, options o = {}, bool can_ask = true) {
  world w(std::move(o));
  w.known.can_ask = can_ask;
  send(w);
  w.answer("tool_use", std::move(calls));
  return w;
}

options executed(execution_mode mode) {
  options o;
  o.tool_execution = mode;
  return o;
}

/// The ids of the calls that run, in call order.
std::string running(const world& w) {
  std::string ids;
  for (const auto& call : w.now().calls)
    if (call.phase == session::call_phase::running)
      ids += call.call_id + " ";
  return ids;
}

template <class T> std::vector<T> all(const world& w) {
  std::vector<T> out;
  for (const auto& event : w.log())
    if (const auto* const held = std::get_if<T>(&event.data))
      out.push_back(*held);
  return out;
}

std::string decision_of(const world& w, std::size_t call) { return w.now().calls.at(call).decision_id; }

void ends_by_the_rules(world& w) {
  w.drive_to_idle();
  BOOST_TEST(testing::log_breach(w.log(), world::durable_tools()).value_or("") == "");
}

} // namespace

BOOST_AUTO_TEST_CASE(in_parallel_all_run_at_once_unless_one_of_them_is_sequential) {
  world w = with_calls({call_of("plain", "a"), call_of("durable", "b"), call_of("plain", "c")});
  BOOST_TEST(running(w) == "a b c ");
  ends_by_the_rules(w);
  world serial = with_calls({call_of("plain", "a"), call_of("serial", "b"), call_of("plain", "c")});
  for (const char* const now : {"a ", "b ", "c "}) {
    BOOST_TEST(running(serial) == now);
    serial.finish_tool(0, false, false);
  }
  BOOST_TEST(running(serial) == "");
  ends_by_the_rules(serial);
}

BOOST_AUTO_TEST_CASE(batched_runs_four_shared_ones_at_once) {
  std::vector<block> calls;
  for (const char* const id : {"a", "b", "c", "d", "e", "f"})
    calls.push_back(call_of("shared", id));
  world w = with_calls(calls, executed(execution_mode::batched));
  BOOST_TEST(running(w) == "a b c d ");
  w.finish_tool(1, false, false);
  BOOST_TEST(running(w) == "a c d e ");
  ends_by_the_rules(w);
}

BOOST_AUTO_TEST_CASE(batched_lets_an_exclusive_one_run_alone_and_in_its_turn) {
  world w = with_calls({call_of("shared", "a"), call_of("shared", "b"), call_of("plain", "c"),
                           call_of("shared", "d"), call_of("plain", "e")},
      executed(execution_mode::batched));
  BOOST_TEST(running(w) == "a b ");
  w.finish_tool(0, false, false);
  BOOST_TEST(running(w) == "b "); // c waits for b, and d behind it for c
  w.finish_tool(0, false, false);
  BOOST_TEST(running(w) == "c ");
  w.finish_tool(0, false, false);
  BOOST_TEST(running(w) == "d ");
  w.finish_tool(0, false, false);
  BOOST_TEST(running(w) == "e ");
  ends_by_the_rules(w);
}

BOOST_AUTO_TEST_CASE(calls_that_are_alike_are_executions_of_their_own) {
  world w = with_calls({call_of("plain", "a"), call_of("plain", "a")});
  BOOST_TEST(count<tool_started>(w) == 2U);
  const auto begun = all<tool_started>(w);
  BOOST_TEST(begun.at(0).execution_id != begun.at(1).execution_id);
  w.finish_tool(0, false, false);
  w.finish_tool(0, false, false);
  BOOST_TEST(count<tool_result>(w) == 2U);
  ends_by_the_rules(w);
}

BOOST_AUTO_TEST_CASE(only_if_every_result_ends_the_run_it_ends_without_an_answer) {
  for (const int endings : {0, 1, 2}) {
    world w = with_calls({call_of("plain", "a"), call_of("plain", "b")});
    w.finish_tool(0, false, endings > 0);
    w.finish_tool(0, false, endings > 1);
    BOOST_TEST((session::status(w.now()) == "idle") == (endings == 2), endings);
    BOOST_TEST(count<inference_started>(w) == (endings == 2 ? 1U : 2U), endings);
    BOOST_TEST(session::to_json(w.now().context.messages()).find("terminate") == std::string::npos);
    ends_by_the_rules(w);
  }
  world refused = with_calls({call_of("plain", "a"), call_of("nothing", "b")});
  refused.finish_tool(0, false, true);
  BOOST_TEST(session::status(refused.now()) == "running"); // what never ran ends nothing
}

BOOST_AUTO_TEST_CASE(what_cannot_run_is_never_asked_about) {
  options o;
  o.permissions = std::vector<permission_rule>{{"*", permission::ask, std::nullopt}};
  const world w = with_calls({call_of("nothing", "a"), call_of("plain", "b")}, o);
  BOOST_TEST(count<permission_requested>(w) == 1U);
  BOOST_TEST(last<permission_requested>(w).name == "plain");
  BOOST_TEST(plain_text(last<tool_receipt>(w).content) == "Tool \"nothing\" is not available.");
}

BOOST_AUTO_TEST_CASE(the_first_rule_that_names_the_tool_decides_and_without_one_it_may_run) {
  options o;
  o.permissions = std::vector<permission_rule>{{"plain", permission::allow, std::nullopt},
      {"plain", permission::deny, std::nullopt}, {"durable", permission::deny, "Not that one."}};
  const world w =
      with_calls({call_of("plain", "a"), call_of("durable", "b"), call_of("asking", "c")}, std::move(o));
  BOOST_TEST(running(w) == "a c ");
  const auto decided = all<tool_decided>(w);
  BOOST_REQUIRE(decided.size() == 2U);
  BOOST_TEST(decided[0].decision == "allow");
  BOOST_TEST(decided[1].decision == "deny");
  BOOST_TEST(plain_text(last<tool_receipt>(w).content) == "[Permission denied] Not that one.");
  BOOST_TEST((last<tool_receipt>(w).error_kind == error_kind::precondition));
}

BOOST_AUTO_TEST_CASE(what_was_decided_is_not_decided_again_after_a_crash) {
  options o;
  o.permissions = std::vector<permission_rule>{{"durable", permission::allow, std::nullopt}};
  world w = with_calls({call_of("durable", "a")}, std::move(o));
  w.apply(update_session{json::raw{R"({"permissions":[{"tool":"*","decision":"deny"}]})"}});
  w.crash();
  BOOST_TEST(count<tool_decided>(w) == 1U);
  BOOST_TEST(running(w) == "a ");
  ends_by_the_rules(w);
}

BOOST_AUTO_TEST_CASE(where_nobody_can_be_asked_it_is_denied_and_says_so) {
  world w = with_calls({call_of("gated", "a")}, {}, false);
  BOOST_TEST(count<permission_requested>(w) == 0U);
  BOOST_TEST(last<tool_decided>(w).by == "policy");
  BOOST_TEST(plain_text(last<tool_receipt>(w).content) == "[Permission denied] Nobody can be asked here.");
  ends_by_the_rules(w);
}

BOOST_AUTO_TEST_CASE(what_was_denied_may_be_asked_for_again) {
  world w = with_calls({call_of("gated", "a")});
  w.apply(decide_permission{decision_of(w, 0), false, "user", "Not yet.", std::nullopt});
  w.settle();
  w.answer("tool_use", {call_of("gated", "a")});
  BOOST_TEST(count<permission_requested>(w) == 2U);
  w.apply(decide_permission{decision_of(w, 0), true, "user", std::nullopt, std::nullopt});
  w.settle();
  w.finish_tool(0, false, false);
  const auto receipts = all<tool_receipt>(w);
  BOOST_REQUIRE(receipts.size() == 2U);
  BOOST_TEST(plain_text(receipts[0].content) == "[Permission denied] Not yet.");
  BOOST_TEST(plain_text(receipts[1].content) == "done");
  ends_by_the_rules(w);
}

BOOST_AUTO_TEST_CASE(what_was_allowed_but_had_not_begun_runs_after_a_crash_as_it_was_allowed) {
  world w = with_calls({call_of("plain", "a"), call_of("gated", "b")}, executed(execution_mode::sequential));
  w.apply(decide_permission{decision_of(w, 1), true, "user", std::nullopt, json::raw{R"({"n":2})"}});
  w.settle();
  BOOST_TEST(running(w) == "a ");
  w.crash(); // `a` was interrupted; `b` goes by its answer
  BOOST_TEST(running(w) == "b ");
  BOOST_TEST(count<permission_requested>(w) == 1U);
  BOOST_TEST(last<tool_started>(w).arguments->text == R"({"n":2})");
  ends_by_the_rules(w);
}

BOOST_AUTO_TEST_CASE(an_interrupted_call_that_may_not_run_again_is_told_to_the_model) {
  for (const bool is_there : {true, false}) {
    world w = with_calls({call_of(is_there ? "plain" : "durable", "a")});
    if (!is_there)
      w.known.tool_facts.erase("durable"); // nor one whose tool is gone
    w.crash();
    BOOST_TEST(count<tool_started>(w) == 1U);
    BOOST_TEST(plain_text(last<tool_receipt>(w).content)
        == "The tool call was interrupted by a restart and was not retried.");
    BOOST_TEST((last<tool_receipt>(w).outcome == tool_outcome::unknown));
    BOOST_TEST(count<inference_started>(w) == 2U);
  }
}

BOOST_AUTO_TEST_CASE(a_verdict_is_taken_once_and_leaves_later_calls_alone) {
  world w = with_calls({call_of("asking", "a")});
  w.crash();
  const auto execution = w.now().calls.at(0).execution_id;
  const auto say = [&](const std::string& id, verdict what) {
    return w.apply(give_verdict{id, what, "user", std::nullopt});
  };
  BOOST_TEST((say("other", verdict::abandon)->code == problem_code::not_found));
  world rerun = w;
  BOOST_TEST(!rerun.apply(give_verdict{execution, verdict::rerun, "user", std::nullopt}));
  BOOST_TEST(!rerun.apply(give_verdict{execution, verdict::rerun, "user", std::nullopt}));
  BOOST_TEST((rerun.apply(give_verdict{execution, verdict::abandon, "user", std::nullopt})->code
      == problem_code::conflict));
  BOOST_TEST(count<tool_resolved>(rerun) == 1U);
  BOOST_TEST(last<tool_started>(rerun).attempt == 2);
  BOOST_TEST(last<tool_started>(rerun).execution_id == execution);
  BOOST_TEST(!say(execution, verdict::abandon));
  w.settle();
  BOOST_TEST(count<tool_started>(w) == 1U);
  w.answer("tool_use", {call_of("asking", "a")}); // the same again is a call like any other
  BOOST_TEST(count<tool_started>(w) == 2U);
  BOOST_TEST(last<tool_started>(w).attempt == 1);
  ends_by_the_rules(w);
}

BOOST_AUTO_TEST_SUITE_END()
