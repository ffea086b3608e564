// What a run may put into the context: refused before the work, told as the run's outcome (P §1.8, D-30).
#include "session/option_bounds.hpp"
#include "session/pairing.hpp"
#include "tests/support/log_rules.hpp"
#include "tests/support/world.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using testing::count;
using testing::last;
using testing::world;

BOOST_AUTO_TEST_SUITE(output_limit)

namespace {

options limited(std::optional<std::int64_t> messages, std::optional<std::int64_t> bytes = std::nullopt) {
  options o;
  o.output_limit = output_bounds{messages, bytes};
  o.send_mode = queue_mode::all;
  return o;
}

void queue(world& w, const std::string& id, const std::string& text = "Hello.") {
  w.apply(
      accept_message{id, delivery::send, content(text), std::nullopt, std::nullopt, std::nullopt, "client"});
}

void keeps_the_rules(const world& w) {
  const auto breach = testing::log_breach(w.log(), world::durable_tools());
  BOOST_TEST(!breach, breach.value_or(""));
  BOOST_TEST(!session::pairing_breach(w.now().context.messages()));
}

} // namespace

BOOST_AUTO_TEST_CASE(messages_that_do_not_fit_with_their_answer_stay_queued) {
  world w(limited(3));
  for (const char* const id : {"a", "b", "c"})
    queue(w, id);
  w.settle();
  BOOST_TEST(last<messages_consumed>(w).message_ids.size() == 2U); // as many as fit with an answer
  w.answer("end_turn", {text_block{"Hi."}});
  const auto& outcome = last<run_finished>(w).outcome;
  BOOST_TEST((outcome.kind == run_outcome_kind::output_limit));
  BOOST_TEST(outcome.limit.value() == "messages");
  BOOST_TEST(count<inference_started>(w) == 1U);
  BOOST_TEST(count<notice_added>(w) == 0U); // it is no error
  BOOST_TEST(w.now().sends.size() == 1U);
  BOOST_TEST(w.now().held);
  BOOST_TEST(session::status(w.now()) == "idle");
  keeps_the_rules(w);
}

BOOST_AUTO_TEST_CASE(a_batch_that_does_not_fit_never_runs_and_every_call_has_its_result) {
  world w(limited(4));
  queue(w, "a");
  w.settle();
  w.answer("tool_use",
      {testing::call_of("plain", "1"), testing::call_of("plain", "2"), testing::call_of("plain", "3")});
  BOOST_TEST(count<tools_requested>(w) == 0U);
  BOOST_TEST((last<run_finished>(w).outcome.kind == run_outcome_kind::output_limit));
  BOOST_TEST(count<tool_result>(w) == 3U);
  keeps_the_rules(w);
}

BOOST_AUTO_TEST_CASE(results_that_leave_no_room_for_an_answer_end_the_run) {
  world w(limited(4));
  queue(w, "a");
  w.settle();
  w.answer("tool_use", {testing::call_of("plain", "1"), testing::call_of("plain", "2")});
  w.finish_tool(0, false, false);
  w.finish_tool(0, false, false);
  BOOST_TEST(count<tool_receipt>(w) == 2U); // what began is carried to its end
  BOOST_TEST(last<run_finished>(w).outcome.limit.value() == "messages");
  BOOST_TEST(count<inference_started>(w) == 1U);
  keeps_the_rules(w);
}

BOOST_AUTO_TEST_CASE(a_message_of_too_many_bytes_stays_queued) {
  world w(limited(std::nullopt, 50));
  queue(w, "a", std::string(200, 'x'));
  w.settle();
  BOOST_TEST(last<run_finished>(w).outcome.limit.value() == "source_bytes");
  BOOST_TEST(w.now().sends.size() == 1U);
  BOOST_TEST(w.now().context.empty());
}

BOOST_AUTO_TEST_CASE(the_calls_of_a_failed_answer_are_closed_once_where_the_next_message_has_no_room) {
  world w(limited(4));
  queue(w, "a");
  w.settle();
  queue(w, "b");
  w.apply(block_finished{w.now().inference->data->inference_id, {testing::call_of("plain", "1")}});
  w.fail_answer("Overloaded");
  BOOST_TEST((last<run_finished>(w).outcome.kind == run_outcome_kind::output_limit));
  BOOST_TEST(count<tool_result>(w) == 1U);
  BOOST_TEST(w.now().sends.size() == 1U);
  keeps_the_rules(w);
}

BOOST_AUTO_TEST_CASE(bytes_are_counted_over_the_whole_run_and_anew_in_the_next) {
  world w(limited(std::nullopt, 50));
  queue(w, "a", std::string(30, 'x'));
  w.settle();
  w.answer("tool_use", {text_block{std::string(40, 'y')}, testing::call_of("plain", "1")});
  BOOST_TEST(last<run_finished>(w).outcome.limit.value() == "source_bytes");
  BOOST_TEST(count<tools_requested>(w) == 0U);
  queue(w, "b");
  w.settle();
  w.answer("end_turn", {text_block{"Hi."}});
  BOOST_TEST((last<run_finished>(w).outcome.kind == run_outcome_kind::completed));
  keeps_the_rules(w);
}

BOOST_AUTO_TEST_CASE(bounds_are_refused_by_their_place) {
  options o;
  o.output_limit = output_bounds{1, 0};
  o.compaction = compaction_options{compaction_strategy::summarize, 5, 0};
  const auto refused = session::within_bounds(o);
  BOOST_REQUIRE(refused.has_error());
  std::string places;
  for (const auto& fault : refused.error().errors)
    places += fault.pointer + " ";
  BOOST_TEST(places
      == "/compaction/keep /compaction/threshold_tokens /output_limit/max_messages "
         "/output_limit/max_source_bytes ");
  BOOST_TEST(session::within_bounds({}).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
