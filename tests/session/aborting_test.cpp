// What comes while a run is being aborted: an error is none, an answer of a person is kept, nothing begins.
#include "session/project.hpp"
#include "tests/support/log_rules.hpp"
#include "tests/support/world.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using testing::call_of;
using testing::count;
using testing::last;
using testing::world;

BOOST_AUTO_TEST_SUITE(aborting)

namespace {

world running() {
  world w;
  w.apply(accept_message{
      "m", delivery::send, content("Hello"), std::nullopt, std::nullopt, std::nullopt, "client"});
  w.settle();
  return w;
}

void is_aborted(const world& w) {
  BOOST_TEST(session::status(w.now()) == "idle");
  BOOST_TEST((last<run_finished>(w).outcome.kind == run_outcome_kind::aborted));
  BOOST_TEST(last<run_finished>(w).outcome.by.value() == "user");
  BOOST_TEST(count<run_finished>(w) == 1U);
  BOOST_TEST(count<notice_added>(w) == 0U);
  BOOST_TEST(testing::log_breach(w.log(), world::durable_tools()).value_or("") == "");
}

inference_answer answer_of(const world& w) {
  inference_answer answer;
  answer.finish.inference_id = w.now().inference->data->inference_id;
  return answer;
}

} // namespace

BOOST_AUTO_TEST_CASE(an_error_of_the_provider_that_comes_after_it_is_no_error) {
  world w = running();
  w.apply(abort_run{"user"});
  auto broken = answer_of(w);
  broken.finish.state = inference_state::error;
  broken.finish.error = failure{"network", std::nullopt, true, "the connection broke off"};
  w.apply(broken);
  is_aborted(w);
  BOOST_TEST((last<inference_finished>(w).state == inference_state::cancelled));
  BOOST_TEST(!last<run_finished>(w).outcome.error);
}

BOOST_AUTO_TEST_CASE(a_whole_answer_that_comes_after_it_runs_nothing) {
  world w = running();
  w.apply(abort_run{"user"});
  auto whole = answer_of(w);
  whole.finish.stop = "tool_use";
  whole.blocks = {text_block{"Let me see."}, call_of("plain", "a"), call_of("gated", "b")};
  whole.checks.resize(2);
  w.apply(whole);
  is_aborted(w);
  BOOST_TEST(count<tools_requested>(w) == 0U);
  BOOST_TEST(count<permission_requested>(w) == 0U);
  BOOST_TEST(count<tool_result>(w) == 2U); // so that nothing dangles
}

BOOST_AUTO_TEST_CASE(a_persons_answer_in_the_same_moment_is_kept_and_nothing_runs_by_it) {
  world w = running();
  w.answer("tool_use", {call_of("plain", "a"), call_of("gated", "b")});
  const auto decision = w.now().calls.at(1).decision_id;
  w.apply(abort_run{"user"});
  BOOST_TEST(!w.apply(decide_permission{decision, true, "user", std::nullopt, std::nullopt}));
  w.finish_tool(0, false, false);
  w.apply(settle_abort{});
  is_aborted(w);
  BOOST_TEST(count<permission_decided>(w) == 1U);
  BOOST_TEST(count<permission_expired>(w) == 0U);
  BOOST_TEST(count<tool_started>(w) == 1U);
  const auto results = w.now().context.messages();
  BOOST_REQUIRE(results.size() == 4U);
  BOOST_TEST(results[3].is_error.value());
}

BOOST_AUTO_TEST_CASE(it_changes_nothing_on_a_session_that_is_idle_or_closed) {
  world w = running();
  w.answer("end_turn", {text_block{"Hi."}});
  const auto idle = w.now().head;
  BOOST_TEST(!w.apply(abort_run{"user"}));
  BOOST_TEST(w.now().head == idle);
  w.apply(close_session{});
  const auto closed = w.now().head;
  BOOST_TEST(!w.apply(abort_run{"user"}));
  BOOST_TEST(w.now().head == closed);
}

BOOST_AUTO_TEST_SUITE_END()
