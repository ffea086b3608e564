// Forks: any event is a cut, and whatever was open there is closed.
#include "tests/support/forks.hpp"
#include "tests/support/world.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using testing::call_of;
using testing::fork_at;
using testing::world;

BOOST_AUTO_TEST_SUITE(forks)

namespace {

void say(world& w, const std::string& id, delivery how = delivery::send) {
  w.apply(
      accept_message{id, how, content("Hello " + id), std::nullopt, std::nullopt, std::nullopt, "client"});
  w.settle();
}

/// A log with everything that can be open: calls that run, wait for a person, have failed or have their
/// receipt behind others, queues, a compaction, an abort, a park, an end.
std::vector<event> eventful_log() {
  options wanted;
  wanted.on_failed_effect = "ask";
  wanted.compaction = compaction_options{compaction_strategy::summarize, std::nullopt, 0};
  world w(std::move(wanted));
  say(w, "m1");
  w.apply(block_finished{w.now().inference->data->inference_id, {text_block{"Let me see."}}});
  w.answer("tool_use",
      {call_of("plain", "a"), call_of("gated", "b"), call_of("unknown", "c"), call_of("durable", "d")});
  say(w, "m2");
  say(w, "m3", delivery::steer);
  w.finish_tool(1, false, false);
  w.finish_tool(0, true, false);
  w.crash();
  w.drive_to_idle();
  w.apply(compact{});
  w.end_compaction(true);
  w.apply(compact{});
  w.end_compaction(false);
  w.settle();
  say(w, "m4");
  w.answer("tool_use", {call_of("plain", "e")});
  w.apply(abort_run{"user"});
  w.apply(settle_abort{});
  w.settle();
  say(w, "m5");
  w.park();
  w.apply(start{});
  w.settle();
  w.drive_to_idle();
  w.apply(close_session{"done with it"});
  w.settle();
  return w.log();
}

} // namespace

BOOST_AUTO_TEST_CASE(at_every_event_of_a_log_a_fork_is_idle_whole_and_decided_again) {
  const auto log = eventful_log();
  std::set<std::string> closed;
  for (const auto& cut : log) {
    const auto fork = fork_at(log, cut.seq);
    BOOST_TEST(testing::fork_breach(fork) == "", "at " << cut.seq << ", " << type_name(cut.data));
    BOOST_TEST((std::get<session_forked>(fork.events.front().data).from == fork_point{"world", cut.seq}));
    for (const auto& happened : fork.events)
      closed.insert(std::string(type_name(happened.data)));
  }
  for (const char* const type : {"output.voided", "tool.result", "permission.expired", "compaction.failed",
           "message.withdrawn", "turn.finished", "run.finished"})
    BOOST_TEST(closed.contains(type), type);
}

BOOST_AUTO_TEST_CASE(a_fork_where_nothing_is_open_only_begins) {
  world w;
  say(w, "m1");
  w.answer("end_turn", {text_block{"Hi."}});
  const auto fork = fork_at(w.log(), w.now().head);
  BOOST_TEST(fork.events.size() == 1U);
  BOOST_TEST(fork.now.context.digest() == w.now().context.digest());
  BOOST_TEST(fork.now.options->id == "fork");
}

BOOST_AUTO_TEST_CASE(a_fork_goes_on_like_the_session_that_it_came_from) {
  world w;
  say(w, "m1");
  w.answer("end_turn", {text_block{"Hi."}});
  const auto fork = fork_at(w.log(), w.now().head);
  std::vector<event> log = w.log();
  log.insert(log.end(), fork.events.begin(), fork.events.end());
  world on = world::from(world::of(w, log), log.size());
  const auto go = [](world& it) {
    say(it, "m2");
    it.answer("tool_use", {call_of("plain", "a")});
    it.finish_tool(0, false, false);
    it.answer("end_turn", {text_block{"Done."}});
    return it.now().context.messages();
  };
  BOOST_TEST((go(on) == go(w)));
}

BOOST_AUTO_TEST_CASE(a_cut_is_where_the_log_ends) {
  world w;
  for (const std::int64_t seq : {0, 2, -3})
    BOOST_TEST(
        (w.apply(fork_session{{"world", seq}, *w.now().options})->code == problem_code::invalid_input));
}

BOOST_AUTO_TEST_CASE(what_is_no_session_id_is_refused) {
  world w;
  options wanted = *w.now().options;
  wanted.id = "no spaces";
  BOOST_TEST((w.apply(fork_session{{"world", 1}, wanted})->code == problem_code::invalid_input));
}

BOOST_AUTO_TEST_SUITE_END()
