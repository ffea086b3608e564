// Single decisions that random commands seldom reach.
#include "session/project.hpp"
#include "tests/support/log_rules.hpp"
#include "tests/support/world.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using testing::count;
using testing::last;
using testing::world;

BOOST_AUTO_TEST_SUITE(decisions)

namespace {

void send(world& w, const std::string& id) {
  w.apply(accept_message{
      id, delivery::send, content("Hello"), std::nullopt, std::nullopt, std::nullopt, "client"});
  w.settle();
}

void keeps_the_rules(const world& w) {
  const auto breach = testing::log_breach(w.log(), world::durable_tools());
  BOOST_TEST(!breach, breach.value_or(""));
}

} // namespace

BOOST_AUTO_TEST_CASE(a_session_parked_with_a_tool_running_is_judged_when_it_is_started) {
  for (const std::string tool : {"plain", "asking", "durable"}) {
    world w;
    send(w, "m");
    w.answer("tool_use", {testing::call_of(tool, "c")});
    w.park();
    BOOST_TEST(session::work(w.now()).empty());
    w.apply(start{});
    w.settle();
    keeps_the_rules(w);
    BOOST_TEST(count<tool_started>(w) == (tool == "durable" ? 2U : 1U), tool);
    w.drive_to_idle();
    keeps_the_rules(w);
  }
}

BOOST_AUTO_TEST_CASE(a_session_waits_though_a_call_stands_behind_the_one_that_is_asked_about) {
  for (const auto mode : {execution_mode::sequential, execution_mode::batched}) {
    options options;
    options.tool_execution = mode;
    world w(std::move(options));
    send(w, "m");
    w.answer("tool_use", {testing::call_of("gated", "a"), testing::call_of("plain", "b")});
    BOOST_TEST(session::work(w.now()).empty());
    BOOST_TEST(session::status(w.now()) == "waiting");
    w.apply(decide_permission{w.now().calls.at(0).decision_id, true, "user", std::nullopt, std::nullopt});
    w.settle();
    BOOST_TEST(session::status(w.now()) == "running");
    w.drive_to_idle();
    keeps_the_rules(w);
  }
}

BOOST_AUTO_TEST_CASE(a_session_parked_in_an_answer_asks_anew_when_it_is_started) {
  world w;
  send(w, "m");
  w.apply(block_finished{w.now().inference->data->inference_id, {text_block{"Half"}}});
  const auto before = w.now().inference->data->inference_id;
  w.park();
  w.apply(start{});
  w.settle();
  BOOST_REQUIRE(w.now().inference);
  BOOST_TEST(w.now().inference->data->inference_id != before);
  BOOST_TEST(last<output_voided>(w).inference_id == before);
  w.answer("end_turn", {text_block{"Whole"}});
  keeps_the_rules(w);
  BOOST_TEST(w.now().context.size() == 2U);
}

BOOST_AUTO_TEST_CASE(five_answers_cut_in_a_row_park_the_session) {
  world w;
  send(w, "m");
  for (int i = 0; i < 5; ++i)
    w.crash();
  BOOST_TEST(session::status(w.now()) == "failed");
  w.crash();
  BOOST_TEST(session::status(w.now()) == "failed");
  w.apply(start{});
  w.settle();
  w.drive_to_idle();
  BOOST_TEST(session::status(w.now()) == "idle");
  keeps_the_rules(w);
}

BOOST_AUTO_TEST_CASE(a_durable_tool_that_kills_the_process_is_not_run_for_ever) {
  world w;
  send(w, "m");
  w.answer("tool_use", {testing::call_of("durable", "c")});
  for (int i = 0; i < 10; ++i)
    w.crash();
  BOOST_TEST(count<tool_started>(w) == 5U);
  BOOST_TEST((last<tool_receipt>(w).outcome == tool_outcome::unknown));
  keeps_the_rules(w);
}

BOOST_AUTO_TEST_CASE(failing_answers_at_the_limit_hold_what_waits) {
  options o;
  o.max_turns = 1;
  world w(o);
  send(w, "m1");
  send(w, "m2");
  send(w, "m3");
  w.fail_answer("Overloaded");
  BOOST_TEST(count<run_started>(w) == 1U);
  BOOST_TEST(session::status(w.now()) == "idle");
  BOOST_TEST(w.now().held);
  BOOST_TEST(w.now().sends.size() == 2U);
  BOOST_TEST((last<run_finished>(w).outcome.kind == run_outcome_kind::max_turns));
  BOOST_TEST(last<notice_added>(w).text == "The last turn failed: Overloaded");
  keeps_the_rules(w);
}

BOOST_AUTO_TEST_CASE(nothing_begins_by_an_answer_that_comes_during_an_abort) {
  world w;
  send(w, "m");
  w.answer("tool_use",
      {testing::call_of("asking", "a"), testing::call_of("durable", "b"), testing::call_of("gated", "c")});
  w.crash(); // `asking` is uncertain now, `durable` runs again
  w.apply(abort_run{"user"});
  const auto started = count<tool_started>(w);
  for (const auto& call : std::vector(w.now().calls)) {
    if (call.phase == session::call_phase::uncertain)
      BOOST_TEST(w.apply(give_verdict{call.execution_id, verdict::rerun, "user", std::nullopt}).has_value());
    if (call.phase == session::call_phase::asking)
      w.apply(decide_permission{call.decision_id, false, "user", std::nullopt, std::nullopt});
  }
  BOOST_TEST(count<tool_started>(w) == started);
  w.settle();
  w.finish_tool(0, false, false);
  w.apply(settle_abort{});
  BOOST_TEST(session::status(w.now()) == "idle");
  keeps_the_rules(w);
}

BOOST_AUTO_TEST_CASE(the_grace_of_one_abort_doesnt_end_another) {
  world w;
  send(w, "m1");
  const auto first = w.now().run->id;
  w.apply(abort_run{"user"});
  w.apply(settle_abort{first});
  BOOST_TEST(!w.now().run);
  send(w, "m2");
  w.apply(abort_run{"user"});
  w.apply(settle_abort{first});
  BOOST_TEST(w.now().run.has_value());
}

BOOST_AUTO_TEST_CASE(an_answer_that_was_stopped_by_nobody_is_a_failed_turn) {
  world w;
  send(w, "m");
  inference_answer stopped;
  stopped.finish.inference_id = w.now().inference->data->inference_id;
  stopped.finish.state = inference_state::cancelled;
  w.apply(stopped);
  w.settle();
  BOOST_TEST((last<run_finished>(w).outcome.kind == run_outcome_kind::error));
  keeps_the_rules(w);
}

BOOST_AUTO_TEST_CASE(a_message_that_no_request_can_hold_is_refused) {
  world w;
  const std::string big(session::message_bytes_max + 1, 'x');
  const auto why = w.apply(
      accept_message{"m", delivery::send, content(big), std::nullopt, std::nullopt, std::nullopt, "client"});
  BOOST_REQUIRE(why);
  BOOST_TEST((why->code == problem_code::too_large));
  BOOST_TEST(why->detail.find("message_bytes_max") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_message_has_a_role_that_a_context_can_show) {
  world w;
  for (const auto* const role : {"tool", "assistant", "", "root"})
    BOOST_TEST(
        w.apply(accept_message{"m", delivery::send, content("x"), role, std::nullopt, std::nullopt, "client"})
            .has_value(),
        role);
  for (const auto* const role : {"user", "system", "custom:note"})
    BOOST_TEST(!w.apply(accept_message{std::string("m-") + role[0], delivery::send, content("x"), role,
                   std::nullopt, std::nullopt, "client"}),
        role);
}

BOOST_AUTO_TEST_CASE(an_update_lays_options_over_and_takes_them_back) {
  options o;
  o.effort = "high";
  o.max_output_tokens = 10;
  world w(o);
  auto log = w.log();
  log.push_back({w.now().head + 1, w.now().at, std::nullopt,
      session_updated{{R"({"max_turns":3,"max_output_tokens":null})"}}});
  const auto state = session::fold(log);
  BOOST_TEST(state.options->max_turns == 3);
  BOOST_TEST(!state.options->max_output_tokens);
  BOOST_TEST(state.options->effort.value() == "high");
}

BOOST_AUTO_TEST_SUITE_END()
