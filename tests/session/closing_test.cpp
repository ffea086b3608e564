// Closing and emptying: new work is refused first, what runs ends, and a crash anywhere changes nothing of
// it.
#include "session/decide.hpp"
#include "tests/support/log_rules.hpp"
#include "tests/support/world.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using testing::count;
using testing::last;
using testing::world;

BOOST_AUTO_TEST_SUITE(closing)

namespace {

std::optional<problem> send(world& w, const std::string& id) {
  auto refused = w.apply(accept_message{
      id, delivery::send, content("Hello " + id), std::nullopt, std::nullopt, std::nullopt, "client"});
  w.settle();
  return refused;
}

/// One with a run in which a tool is under way.
world with_a_running_tool() {
  world w;
  send(w, "m1");
  w.answer("tool_use", {testing::call_of("plain", "a")});
  return w;
}

void close(world& w) {
  w.apply(close_session{"done with it"});
  w.settle();
  w.apply(settle_abort{}); // what ran has stopped
  w.settle();
}

void keeps_the_rules(const world& w) {
  BOOST_TEST(testing::log_breach(w.log(), world::durable_tools()).value_or("") == "");
}

} // namespace

BOOST_AUTO_TEST_CASE(one_that_is_idle_is_closed_at_once_and_takes_nothing_more) {
  world w;
  send(w, "m1");
  w.answer("end_turn", {text_block{"Hi."}});
  w.apply(close_session{"done with it"});
  BOOST_TEST(session::status(w.now()) == "closed");
  BOOST_TEST(last<session_closing>(w).reason.value_or("") == "done with it");
  const auto head = w.now().head;
  BOOST_TEST(!w.apply(close_session{}).has_value()); // again: nothing, and no error
  for (const command& late : {command(start{}), command(continue_run{}), command(reset_context{})})
    BOOST_TEST((w.apply(late)->code == problem_code::closed));
  BOOST_TEST((send(w, "m2")->code == problem_code::closed));
  BOOST_TEST(w.now().head == head);
  BOOST_TEST(!session::needs_work(w.now()));
  keeps_the_rules(w);
}

BOOST_AUTO_TEST_CASE(what_runs_is_aborted_by_it_and_nothing_starts_any_more) {
  world w = with_a_running_tool();
  send(w, "m2");
  w.apply(close_session{});
  BOOST_TEST(session::work(w.now()).empty());
  BOOST_TEST(session::status(w.now()) == "running");
  BOOST_TEST((send(w, "m3")->code == problem_code::closed));
  w.settle();
  BOOST_TEST(last<abort_requested>(w).by == "close");
  w.apply(settle_abort{});
  w.settle();
  BOOST_TEST(session::status(w.now()) == "closed");
  BOOST_TEST(
      plain_text(last<tool_receipt>(w).content) == "The tool call was abandoned when the agent closed.");
  BOOST_TEST(last<run_finished>(w).outcome.by.value_or("") == "close");
  BOOST_TEST(count<run_finished>(w) == 1U);
  BOOST_TEST(w.now().sends.size() == 1U); // kept, and never answered
  keeps_the_rules(w);
}

BOOST_AUTO_TEST_CASE(a_crash_between_any_two_steps_of_it_ends_closed) {
  world whole = with_a_running_tool();
  const auto before = whole.appends().size();
  close(whole);
  BOOST_REQUIRE(session::status(whole.now()) == "closed");
  for (auto n = before + 1; n < whole.appends().size(); ++n) {
    world w = world::from(whole, whole.appends()[n].log_before);
    w.drive_to_idle();
    BOOST_TEST(session::status(w.now()) == "closed");
    BOOST_TEST(count<session_closed>(w) == 1U);
    keeps_the_rules(w);
  }
}

BOOST_AUTO_TEST_CASE(a_parked_one_can_be_closed) {
  world w = with_a_running_tool();
  w.park();
  w.apply(close_session{});
  w.settle();
  BOOST_TEST(session::status(w.now()) == "closed");
  BOOST_TEST(count<run_finished>(w) == 1U);
  keeps_the_rules(w);
}

BOOST_AUTO_TEST_CASE(one_that_waits_for_a_person_is_closed_without_them) {
  world w;
  send(w, "m1");
  w.answer("tool_use", {testing::call_of("gated", "a")});
  BOOST_REQUIRE(session::status(w.now()) == "waiting");
  w.apply(close_session{});
  w.settle();
  BOOST_TEST(session::status(w.now()) == "closed");
  BOOST_TEST(last<permission_expired>(w).reason == "run_ended");
  keeps_the_rules(w);
}

BOOST_AUTO_TEST_CASE(emptying_the_context_keeps_what_is_queued) {
  world w;
  BOOST_TEST(!w.apply(reset_context{}).has_value());
  BOOST_TEST(w.now().head == 1); // there was nothing to empty
  send(w, "m1");
  w.answer("end_turn", {text_block{"Hi."}});
  BOOST_TEST(!w.apply(reset_context{"We spoke of much."}).has_value());
  BOOST_TEST(w.now().context.size() == 1U); // the handoff
  BOOST_TEST(w.now().context.messages().front().role == "system");
  send(w, "m2");
  BOOST_TEST((w.apply(reset_context{})->code == problem_code::conflict)); // a run is under way
  w.answer("end_turn", {text_block{"Hi again."}});
  BOOST_TEST(w.now().context.size() == 3U);
  keeps_the_rules(w);
}

BOOST_AUTO_TEST_SUITE_END()
