// When what is queued comes in: by queue and mode, never within an answer, and what starts a run at all.
#include "session/project.hpp"
#include "tests/support/log_rules.hpp"
#include "tests/support/world.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using testing::count;
using testing::last;
using testing::world;

BOOST_AUTO_TEST_SUITE(queueing)

namespace {

void queue(world& w, const std::string& id, delivery how) {
  BOOST_TEST(
      !w.apply(accept_message{id, how, content(id), std::nullopt, std::nullopt, std::nullopt, "client"}));
  w.settle();
}

world with_modes(queue_mode steering, queue_mode sends) {
  options o;
  o.steering_mode = steering;
  o.send_mode = sends;
  return world(std::move(o));
}

/// What each inference was asked about: the ids that came in before it, one inference a line.
std::string taken_up(const world& w) {
  std::string lines;
  for (const auto& event : w.log()) {
    if (const auto* const consumed = std::get_if<messages_consumed>(&event.data))
      for (const auto& id : consumed->message_ids)
        lines += id + " ";
    if (std::holds_alternative<inference_started>(event.data))
      lines += "| ";
  }
  return lines;
}

/// A run with an answer under way, and behind it so many of each queue, sends first.
world with_waiting(world w, int each) {
  queue(w, "go", delivery::send);
  for (int i = 1; i <= each; ++i) {
    queue(w, "send" + std::to_string(i), delivery::send);
    queue(w, "steer" + std::to_string(i), delivery::steer);
  }
  return w;
}

void answer_all(world& w) {
  while (session::status(w.now()) != "idle")
    w.answer("end_turn", {text_block{"Yes."}});
  BOOST_TEST(testing::log_breach(w.log(), world::durable_tools()).value_or("") == "");
}

} // namespace

BOOST_AUTO_TEST_CASE(without_being_told_each_queue_is_answered_one_by_one_and_steering_first) {
  world w = with_waiting(world(), 2);
  answer_all(w);
  BOOST_TEST(taken_up(w) == "go | steer1 | steer2 | send1 | send2 | ");
  BOOST_TEST(count<turn_started>(w) == 1U);
  BOOST_TEST(count<run_started>(w) == 1U);
}

BOOST_AUTO_TEST_CASE(a_queue_of_mode_all_comes_in_whole_and_in_its_order) {
  world both = with_waiting(with_modes(queue_mode::all, queue_mode::all), 3);
  answer_all(both);
  BOOST_TEST(taken_up(both) == "go | steer1 steer2 steer3 | send1 send2 send3 | ");
  world steering = with_waiting(with_modes(queue_mode::all, queue_mode::one_at_a_time), 2);
  answer_all(steering);
  BOOST_TEST(taken_up(steering) == "go | steer1 steer2 | send1 | send2 | ");
}

BOOST_AUTO_TEST_CASE(either_queue_wakes_a_session_that_is_idle) {
  for (const auto how : {delivery::send, delivery::steer}) {
    world w;
    queue(w, "m", how);
    BOOST_TEST(session::status(w.now()) == "running");
    BOOST_TEST((last<run_started>(w).cause == run_cause::message));
  }
}

BOOST_AUTO_TEST_CASE(what_comes_during_an_answer_waits_for_its_end) {
  world w;
  queue(w, "go", delivery::send);
  const auto inference = w.now().inference->data->inference_id;
  w.apply(block_finished{inference, {text_block{"One."}}});
  queue(w, "steer1", delivery::steer);
  w.apply(block_finished{inference, {text_block{"Two."}}});
  BOOST_TEST(w.now().steer.size() == 1U);
  w.answer("end_turn", {text_block{"Three."}});
  const auto context = w.now().context.messages();
  BOOST_REQUIRE(context.size() == 3U);
  BOOST_TEST(context[1].blocks.size() == 3U); // one answer, not cut by what came in between
  BOOST_TEST(context[2].role == "user");
}

BOOST_AUTO_TEST_CASE(while_results_are_owed_steering_joins_and_sends_wait) {
  world w;
  queue(w, "go", delivery::send);
  w.answer("tool_use", {testing::call_of("plain", "a")});
  queue(w, "send1", delivery::send);
  queue(w, "steer1", delivery::steer);
  w.finish_tool(0, false, false);
  const auto context = w.now().context.messages();
  BOOST_REQUIRE(context.size() == 4U);
  BOOST_TEST(context[2].role == "tool");
  BOOST_TEST(context[3].role == "user");
  BOOST_TEST(w.now().sends.size() == 1U);
  answer_all(w);
  BOOST_TEST(taken_up(w) == "go | steer1 | send1 | ");
}

BOOST_AUTO_TEST_CASE(start_without_anything_owed_does_nothing) {
  world w;
  const auto nothing_happens = [&w] {
    const auto head = w.now().head;
    BOOST_TEST(!w.apply(start{}));
    w.settle();
    BOOST_TEST(w.now().head == head);
  };
  nothing_happens(); // there is nothing to send
  queue(w, "go", delivery::send);
  nothing_happens(); // it runs already
  answer_all(w);
  nothing_happens(); // all is answered
}

BOOST_AUTO_TEST_CASE(start_answers_what_is_owed_with_the_steering_that_is_left_and_then_the_sends) {
  options o;
  o.max_turns = 1;
  world w(std::move(o));
  queue(w, "go", delivery::send);
  w.answer("tool_use", {testing::call_of("plain", "a")});
  queue(w, "send1", delivery::send);
  queue(w, "steer1", delivery::steer);
  w.finish_tool(0, false, false);
  BOOST_TEST(session::status(w.now()) == "idle");
  BOOST_TEST(w.now().held);
  w.apply(update_session{json::raw{R"({"max_turns":0})"}});
  w.apply(start{});
  answer_all(w);
  BOOST_TEST(taken_up(w) == "go | steer1 | send1 | ");
  BOOST_TEST((last<run_started>(w).cause == run_cause::start));
}

BOOST_AUTO_TEST_CASE(start_answers_again_when_the_last_turn_failed) {
  world w;
  queue(w, "go", delivery::send);
  w.fail_answer("Overloaded");
  BOOST_TEST(session::status(w.now()) == "idle");
  w.crash(); // nor does a restart forget it
  w.apply(start{});
  BOOST_TEST(session::status(w.now()) == "running");
  const auto context = w.now().context.messages();
  BOOST_REQUIRE(context.size() == 2U);
  BOOST_TEST(context[1].role == "system"); // the notice is what the next request ends with
  answer_all(w);
  BOOST_TEST((last<run_finished>(w).outcome.kind == run_outcome_kind::completed));
}

// Though a message of the user's is all that the context holds.
BOOST_AUTO_TEST_CASE(a_compacted_context_owes_no_answer) {
  world w;
  queue(w, "go", delivery::send);
  answer_all(w);
  auto log = w.log();
  const auto add = [&](event_data data) {
    log.push_back({log.back().seq + 1, log.back().at, std::nullopt, std::move(data)});
  };
  const auto covered = w.now().head;
  add(compaction_started{"k", "summarize", covered, "requested"});
  add(compaction_finished{
      "k", covered, {{"user", content("They said hello.")}}, std::nullopt, std::nullopt, std::nullopt});
  world compacted = world::of(w, std::move(log));
  BOOST_TEST(compacted.now().context.size() == 1U);
  const auto head = compacted.now().head;
  compacted.crash();
  BOOST_TEST(!compacted.apply(start{}));
  BOOST_TEST(compacted.now().head == head);
}

BOOST_AUTO_TEST_CASE(continue_takes_the_queue_once_else_it_asks_about_the_context_as_it_is) {
  world w;
  const auto refused = w.apply(continue_run{});
  BOOST_REQUIRE(refused);
  BOOST_TEST((refused->code == problem_code::conflict));
  queue(w, "go", delivery::send);
  w.apply(abort_run{"user"});
  w.apply(settle_abort{});
  w.apply(continue_run{}); // nothing queued, nothing answered: the same question
  BOOST_TEST(taken_up(w) == "go | | ");
  queue(w, "steer1", delivery::steer);
  queue(w, "steer2", delivery::steer);
  w.apply(abort_run{"user"});
  w.apply(settle_abort{});
  BOOST_TEST(w.now().held);
  w.apply(continue_run{});
  BOOST_TEST(w.now().steer.size() == 1U); // one, though it is both what begins the run and steering
  BOOST_TEST((last<run_started>(w).cause == run_cause::continue_));
  answer_all(w);
  BOOST_TEST((w.apply(continue_run{})->code == problem_code::conflict)); // it ends with an answer
}

BOOST_AUTO_TEST_SUITE_END()
