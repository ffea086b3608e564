// One node a session: who is refused, who takes over, and what the one that lost it can still do.
#include "actors/surroundings.hpp"
#include "tests/actors/stage.hpp"

#include <thread>

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(ownership)

namespace {

using actors::opening;

// The agent's end is told to the fleet by a message of its own: a few tries are fair.
bool has_let_go(actors::node& node, const std::string& id) {
  for (int tries = 0; tries < 1000; ++tries)
    if (code_of(node.open(stage::options_of(id), opening::find)) == "owned_elsewhere")
      return true;
  return false;
}

// The machine, but that it may have stood still for a while.
class slept final : public actors::surroundings {
 public:
  timestamp wall_time() const override { return machine_->wall_time(); }
  std::chrono::steady_clock::time_point steady_time() const override {
    return machine_->steady_time() + passed_.load();
  }
  std::uint64_t random_seed() override { return machine_->random_seed(); }
  bool has_threads() const override { return true; }
  void take(caf::actor_system&) override {}
  void run() override {}
  std::unique_ptr<actors::tool_runner> make_tool_runner() override { return machine_->make_tool_runner(); }

  void stand_still(std::chrono::hours time) { passed_ = passed_.load() + time; }

 private:
  std::shared_ptr<actors::surroundings> machine_ = actors::this_machine();
  std::atomic<std::chrono::steady_clock::duration> passed_{{}};
};

constexpr std::int64_t two_hours_ms = 2 * 3'600'000;

const std::string with_a_tool = R"({"when":{"has_tool_result":true},"reply":[{"text":"Done."}]}
{"when":{"last_user_contains":"Do it"},"reply":[)"
    + hold_call("a") + R"(]}
{"reply":[{"text":"Fine."}]})";

} // namespace

BOOST_AUTO_TEST_CASE(a_second_node_is_refused_by_name_while_the_first_lives) {
  stage play(with_a_tool);
  auto session = play.open("s");
  const auto second = play.start();
  const auto refused = second->open(play.options_of("s"), opening::find);
  BOOST_TEST(code_of(refused) == "owned_elsewhere");
  BOOST_TEST(refused.error().detail.find("`first`") != std::string::npos);
  say(session, "Hello");
  until_idle(session);
  BOOST_TEST(play.row("s").epoch == 1);
}

BOOST_AUTO_TEST_CASE(a_node_that_left_in_order_leaves_its_sessions_to_others) {
  stage play(with_a_tool);
  auto session = play.open("s");
  say(session, "Hello");
  until_idle(session);
  play.close_first();
  const auto second = play.start();
  auto again = must(second->open(play.options_of("s"), opening::find));
  BOOST_TEST(!again.created());
  say(again, "Hello again");
  until_idle(again);
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(after_the_lease_another_takes_over_and_the_first_is_fenced) {
  stage play(with_a_tool);
  auto session = play.open("s");
  say(session, "Do it", "m1");
  BOOST_TEST(play.gates.wait_until_begun("a"));
  play.store->advance(two_hours_ms);
  const auto third = play.start("third");
  auto taken = must(third->open(play.options_of("s"), opening::find));
  until_idle(taken);
  const auto head = play.row("s").head;
  BOOST_TEST(code_of(session.post(text_message("from a zombie", "z"))) == "fenced");
  play.gates.open("a"); // the zombie's tool ends now: its receipt counts for nothing
  const auto order = session.order(start{});
  BOOST_TEST(!order);
  BOOST_TEST(play.row("s").head == head);
  BOOST_TEST(has_let_go(play.node(), "s"));
  say(taken, "Hello", "m2");
  until_idle(taken);
  BOOST_TEST(play.count("s", "message.queued") == 2U);
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(an_agents_append_is_fenced_and_its_tools_are_stopped) {
  stage play(R"({"when":{"has_tool_result":true},"reply":[{"text":"Done."}]}
{"when":{"last_user_contains":"more"},"reply":[{"text":"Fine."}]}
{"reply":[)"
      + hold_call("a") + "," + hold_call("b") + "]}");
  auto session = play.open("s");
  say(session, "Do it");
  BOOST_TEST(play.gates.wait_until_begun("a"));
  BOOST_TEST(play.gates.wait_until_begun("b"));
  play.store->advance(two_hours_ms);
  const auto third = play.start("third");
  auto taken = must(third->open(play.options_of("s"), opening::find));
  until_idle(taken);
  play.gates.open("a"); // its receipt is refused: the agent learns that it has lost the session
  BOOST_TEST(play.gates.wait_until_stopped("b"));
  BOOST_TEST(!session.wait(false, patience));
  say(taken, "more");
  until_idle(taken);
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(a_node_that_stood_still_lets_go_of_what_was_taken_meanwhile) {
  stage play(with_a_tool);
  const auto machine = std::make_shared<slept>();
  const auto sleeper = play.start("sleeper", [&](actors::node_settings& settings) {
    settings.on = machine;
    settings.lease = std::chrono::milliseconds(600);
  });
  auto session = must(sleeper->open(play.options_of("s"), opening::either));
  say(session, "Do it");
  BOOST_TEST(play.gates.wait_until_begun("a"));
  const auto third = play.start("third");
  auto taken = third->open(play.options_of("s"), opening::find);
  while (!taken) { // it may have renewed in between
    play.store->advance(1000);
    taken = third->open(play.options_of("s"), opening::find);
  }
  until_idle(*taken);
  machine->stand_still(std::chrono::hours(1)); // seen with its next heartbeat, before its lease holds again
  BOOST_TEST(play.gates.wait_until_stopped("a"));
  BOOST_TEST(!session.wait(false, patience));
  BOOST_TEST(has_let_go(*sleeper, "s"));
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(without_a_lease_nothing_is_answered_from_memory) {
  stage play(with_a_tool);
  const auto machine = std::make_shared<slept>();
  const auto sleeper = play.start("sleeper", [&](actors::node_settings& settings) { settings.on = machine; });
  auto session = must(sleeper->open(play.options_of("s"), opening::either));
  BOOST_TEST(session.order(abort_run{"user"}).has_value()); // nothing runs, surely
  machine->stand_still(std::chrono::hours(2));
  BOOST_TEST(code_of(session.order(abort_run{"user"})) == "unavailable"); // it may run elsewhere
  BOOST_TEST(code_of(session.order(decide_permission{"none", true, "user", {}, {}})) == "unavailable");
}

BOOST_AUTO_TEST_CASE(a_session_that_comes_back_is_no_stranger) {
  stage play(with_a_tool);
  auto session = play.open("s");
  play.store->advance(two_hours_ms);
  {
    const auto third = play.start("third");
    auto taken = must(third->open(play.options_of("s"), opening::find));
    say(taken, "Hello");
    until_idle(taken);
  }
  BOOST_TEST(code_of(session.post(text_message("Hello"))) == "fenced");
  const auto second = play.start();
  auto again = must(second->open(play.options_of("s"), opening::find));
  say(again, "Hello");
  until_idle(again);
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(what_is_refused_is_not_taken) {
  stage play(with_a_tool);
  play.open("s", [](options& wanted) { wanted.tools = std::vector<std::string>{"stage"}; });
  play.close_first();
  const auto second = play.start();
  BOOST_TEST(code_of(second->open(play.options_of("s"), opening::create)) == "conflict");
  const auto without_tools =
      play.start("third", [](actors::node_settings& settings) { settings.tools = tools::tool_box(); });
  BOOST_TEST(!without_tools->open(play.options_of("s"), opening::find));
  const auto fourth = play.start("fourth");
  auto session = must(fourth->open(play.options_of("s"), opening::find));
  say(session, "Hello");
  until_idle(session);
}

BOOST_AUTO_TEST_CASE(of_two_who_make_the_same_session_at_once_one_has_it) {
  stage play(with_a_tool);
  const auto second = play.start();
  for (int i = 0; i < 30; ++i) {
    const auto wanted = play.options_of("s" + std::to_string(i));
    std::vector<result<actors::session_handle>> answers(2, problem{});
    std::thread other([&] { answers[1] = second->open(wanted, opening::either); });
    answers[0] = play.node().open(wanted, opening::either);
    other.join();
    BOOST_TEST((answers[0].has_value() != answers[1].has_value()));
    const auto& refused = answers[0] ? answers[1] : answers[0];
    BOOST_TEST(code_of(refused) == "owned_elsewhere");
  }
}

BOOST_AUTO_TEST_CASE(making_finding_and_missing) {
  stage play(with_a_tool);
  BOOST_TEST(code_of(play.node().open(play.options_of("s"), opening::find)) == "not_found");
  BOOST_TEST(must(play.node().open(play.options_of("s"), opening::create)).created());
  BOOST_TEST(code_of(play.node().open(play.options_of("s"), opening::create)) == "conflict");
  BOOST_TEST(!must(play.node().open(play.options_of("s"), opening::either)).created());
  BOOST_TEST(code_of(play.node().open(play.options_of("no spaces"), opening::either)) == "invalid_input");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::testing
