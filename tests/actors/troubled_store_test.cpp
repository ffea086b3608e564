// A store in trouble: nothing is lost, nothing is twice, and one bad session harms no other.
#include "tests/actors/stage.hpp"

#include "messages/event_codec.hpp"
#include "persistence/this_process.hpp"

#include <future>
#include <thread>

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(troubled_store)

namespace {

using persistence::made_fault;

const std::string with_a_tool = R"({"when":{"has_tool_result":true},"reply":[{"text":"Done."}]}
{"when":{"last_user_contains":"Do it"},"reply":[{"text":"So."},)"
    + hold_call("a") + R"(]}
{"reply":[{"text":"Fine."}]})";

} // namespace

BOOST_AUTO_TEST_CASE(a_commit_whose_answer_is_lost_happens_once) {
  stage play(with_a_tool);
  play.gates.open("a");
  auto session = play.open("s");
  for (int i = 0; i < 20; ++i)
    play.store->expect(made_fault::lose_answer); // the message's and all of the agent's
  BOOST_TEST(!say(session, "Do it", "m1").duplicate);
  until_idle(session);
  BOOST_TEST(play.count("s", "message.queued") == 1U);
  BOOST_TEST(play.count("s", "run.finished") == 1U);
  BOOST_TEST(play.gates.begun("a") == 1U);
  BOOST_TEST(play.wrong_with("s") == "");
}

// B-119: a result that couldn't be written at first isn't worked for again.
BOOST_AUTO_TEST_CASE(faults_of_every_kind_one_after_the_other_change_nothing) {
  stage play(with_a_tool);
  play.gates.open("a");
  auto session = play.open("s");
  for (int i = 0; i < 8; ++i)
    for (const auto fault : {made_fault::lose_write, made_fault::fail, made_fault::lose_answer})
      play.store->expect(fault);
  say(session, "Do it", "m1");
  say(session, "Hello", "m2");
  until_idle(session);
  BOOST_TEST(play.count("s", "message.queued") == 2U);
  BOOST_TEST(play.gates.begun("a") == 1U);
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(while_the_store_takes_nothing_sessions_wait_and_then_go_on) {
  stage play(with_a_tool);
  auto running = play.open("s");
  auto other = play.open("other");
  say(running, "Do it");
  BOOST_TEST(play.gates.wait_until_begun("a"));
  play.store->expect(made_fault::full);
  std::thread posting([&] { BOOST_TEST(!other.post(text_message("Hello", "m1"))->duplicate); });
  play.gates.open("a");
  BOOST_TEST(play.wait_for_trouble());
  BOOST_TEST(play.count("other", "message.queued") == 0U);
  play.store->heal();
  posting.join();
  until_idle(running);
  until_idle(other);
  BOOST_TEST(play.gates.begun("a") == 1U);
  BOOST_TEST(play.wrong_with("s") == "");
  BOOST_TEST(play.wrong_with("other") == "");
}

BOOST_AUTO_TEST_CASE(a_message_that_is_on_its_way_is_accepted_before_its_session_closes) {
  stage play(with_a_tool);
  auto session = play.open("s");
  play.store->expect(made_fault::full);
  std::thread posting([&] { BOOST_TEST(!session.post(text_message("Hello", "m1"))->duplicate); });
  BOOST_TEST(play.wait_for_trouble());
  std::promise<bool> closing;
  session.order(
      close_session{}, [&](const result<std::int64_t>& head) { closing.set_value(head.has_value()); });
  must(session.look()); // the agent has read it
  BOOST_TEST(code_of(session.post(text_message("Late", "m2"))) == "closed");
  BOOST_TEST(play.count("s", "session.closing") == 0U);
  play.store->heal();
  posting.join();
  BOOST_TEST(closing.get_future().get());
  until_idle(session);
  BOOST_TEST(play.row("s").view.status == "closed");
  BOOST_TEST(play.count("s", "message.queued") == 1U);
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(a_tool_whose_receipt_came_too_late_for_the_store_is_not_run_again) {
  stage play(with_a_tool);
  std::vector<std::shared_ptr<persistence::journal>> journals;
  const auto leaving = play.start("leaving", [&](actors::node_settings& settings) {
    settings.open_journal = [&, open = settings.open_journal] {
      auto opened = open();
      journals.push_back(must(opened));
      return opened;
    };
  });
  auto session = must(leaving->open(play.options_of("s"), actors::opening::either));
  say(session, "Do it");
  BOOST_TEST(play.gates.wait_until_begun("a"));
  for (const auto& journal : journals)
    journal->stop(); // as a node does first that leaves
  play.gates.open("a");
  for (int looks = 0; looks < 50; ++looks) // each has the agent compare what runs with what should
    BOOST_TEST(!must(session.wait(false, std::chrono::milliseconds(10))));
  BOOST_TEST(play.gates.begun("a") == 1U);
}

BOOST_AUTO_TEST_CASE(an_agent_that_dies_is_loaded_again_and_goes_on) {
  stage play(with_a_tool);
  auto session = play.open("s");
  auto stream = session.follow(0);
  play.store->refuse_payload(encode(abort_requested{"poison"}));
  say(session, "Do it");
  BOOST_TEST(play.gates.wait_until_begun("a"));
  BOOST_TEST(!session.order(abort_run{"poison"})); // what the store can't hold ends its agent
  await(*stream, "run.finished");
  auto again = play.open("s");
  until_idle(again);
  BOOST_TEST(play.count("s", "abort.requested") == 0U);
  BOOST_TEST((all_of<tool_receipt>(play.log("s")).at(0).outcome == tool_outcome::unknown));
  BOOST_TEST(play.gates.begun("a") == 1U);
  BOOST_TEST(play.wrong_with("s") == "");
}

// B-108: what ends its agent each time is counted when it is taken, not by who could still count.
BOOST_AUTO_TEST_CASE(after_five_deaths_in_a_row_a_session_is_parked_and_others_go_on) {
  stage play(with_a_tool);
  auto session = play.open("s");
  auto stream = session.follow(0);
  play.store->refuse_payload(encode(messages_consumed{{"poison"}}));
  say(session, "Hello", "poison");
  await(*stream, "session.parked");
  BOOST_TEST(play.row("s").view.status == "failed");
  auto again = play.open("s");
  BOOST_TEST(until_idle(again).parked);
  auto other = play.open("other");
  say(other, "Hello");
  until_idle(other);
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(deaths_of_its_owners_park_no_session_that_is_closed) {
  stage play(with_a_tool);
  {
    auto session = play.open("s");
    say(session, "Hello");
    until_idle(session);
    must(session.order(close_session{}));
  }
  play.close_first();
  const auto journal = persistence::make_memory_journal(play.store);
  const auto heir = play.start("heir");
  for (int i = 0; i < 8; ++i)
    must(journal->take(1, "s", persistence::this_process("gone" + std::to_string(i)), 0));
  auto again = must(heir->open(stage::options_of("s"), actors::opening::find));
  BOOST_TEST(!until_idle(again).parked);
  BOOST_TEST(play.count("s", "session.parked") == 0U);
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(deaths_that_are_not_in_a_row_park_nothing) {
  stage play(with_a_tool);
  auto session = play.open("s");
  auto stream = session.follow(0);
  play.store->refuse_payload(encode(abort_requested{"poison"}));
  for (std::size_t i = 1; i <= 6; ++i) {
    say(session, "Do it");
    BOOST_TEST(play.gates.wait_until_begun("a", i));
    BOOST_TEST(!session.order(abort_run{"poison"}));
    await(*stream, "run.finished");
    session = play.open("s");
  }
  until_idle(session);
  BOOST_TEST(play.count("s", "session.parked") == 0U);
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_CASE(a_message_that_cannot_be_stored_is_refused_and_harms_nobody) {
  stage play(with_a_tool);
  auto session = play.open("s");
  message_queued poison;
  poison.message_id = "m1";
  poison.content = content("poison");
  poison.by = "client";
  play.store->refuse_payload(encode(poison));
  BOOST_TEST(code_of(session.post(text_message("poison", "m1"))) == "invalid_input");
  say(session, "Hello", "m2");
  until_idle(session);
  BOOST_TEST(play.count("s", "message.queued") == 1U);
  BOOST_TEST(play.wrong_with("s") == "");
}

namespace {

class throwing_provider final : public providers::provider {
 public:
  std::shared_ptr<providers::attempt> start(providers::inference_request, providers::event_sink) override {
    throw std::runtime_error("a fault of the provider's own");
  }
};

} // namespace

BOOST_AUTO_TEST_CASE(a_provider_that_throws_fails_the_turn_and_the_session_goes_on) {
  stage play(with_a_tool);
  play.close_first();
  const auto second = play.start("second", [](actors::node_settings& settings) {
    settings.providers["faulty"] = {std::make_shared<throwing_provider>(), {"gym", "claude-gym"}, 1};
  });
  auto session = must(second->open(
      play.options_of("s", [](options& wanted) { wanted.provider = "faulty"; }), actors::opening::either));
  say(session, "Hello");
  until_idle(session);
  BOOST_TEST(all_of<notice_added>(play.log("s")).at(0).text
      == "The last turn failed: the provider failed: a fault of the provider's own");
  auto message = text_message("Hello again");
  message.settings = message_settings{"gym", {}, {}, {}};
  must(session.post(message));
  until_idle(session);
  BOOST_TEST((all_of<run_finished>(play.log("s")).back().outcome.kind == run_outcome_kind::completed));
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::testing
