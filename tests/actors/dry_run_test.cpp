// Dry runs: the recorded input to another model, tools answered from the record, and where the two part.
#include "actors/history/dry_run.hpp"
#include "actors/stream_hub/event_filling.hpp"
#include "messages/event_codec.hpp"
#include "tests/actors/stage.hpp"

#include <future>

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(dry_runs)

namespace {

actors::recording recording_of(stage& play, const std::string& id, std::int64_t after = 0) {
  actors::recording said;
  const auto journal = persistence::make_memory_journal(play.store);
  for (const auto& event : must(actors::filled(*journal, play.row(id).key, play.stored(id))))
    if (event.seq > after)
      said.take(must(decode(event)));
  return said;
}

/// Another node over the same store, with a gym of its own and the same real tools.
struct again {
  again(stage& play, const std::string& rules, actors::dry_run_changes with = {})
      : changes(std::move(with)), said(recording_of(play, "s")), results(said.results()), other(rules) {
    node = play.start("dry",
        [&](actors::node_settings& settings) { settings.providers["gym"] = stage::provider_of(*other.gym); });
    const auto began = std::get<session_created>(play.log("s").at(0).data).options;
    const auto have = *must(play.open("s").look())->options;
    const auto tools = must(actors::recorded_tools(node->tools(), have));
    must(node->fork("s", 1, "again", actors::options_of_dry_run(began, have, tools, changes)));
    auto fork = must(node->open(stage::options_of("again"), actors::opening::find));
    for (const auto& input : said.inputs()) {
      must(fork.post(actors::said_again(input, changes)));
      for (auto state = until_attention(fork); session::status(state) == "waiting";
           state = until_attention(fork))
        for (const auto& answer : actors::recorded_answers(state, results))
          must(fork.order(answer));
    }
    now = recording_of(play, "again", 1);
  }
  actors::dry_run_comparison compared() const { return actors::compare(said.answers(), now.answers()); }

  actors::dry_run_changes changes;
  actors::recording said;
  actors::recorded_results results;
  stage other; ///< for its gym
  std::unique_ptr<actors::node> node;
  actors::recording now;
};

const std::string calls_a = R"({"when":{"has_tool_result":true},"reply":[{"text":"Done."}]}
{"reply":[)"
    + hold_call("a") + "]}";

void record(stage& play) {
  play.gates.open("a");
  auto session = play.open("s");
  say(session, "Do it");
  until_idle(session);
}

} // namespace

BOOST_AUTO_TEST_CASE(the_same_model_gives_the_same_and_nothing_is_carried_out) {
  stage play(calls_a);
  record(play);
  again dry(play, calls_a);
  BOOST_TEST(!dry.compared().parted());
  BOOST_TEST(dry.compared().same == 2U);
  BOOST_TEST(dry.results.unknown() == 0U);
  BOOST_TEST(play.gates.begun("a") == 1U); // by the recording alone
  BOOST_TEST(play.wrong_with("again") == "");
}

// Whoever takes the fork when the dry run has died has the real tools, and nothing to run with them.
BOOST_AUTO_TEST_CASE(no_other_node_carries_out_what_a_dry_run_has_left) {
  stage play(calls_a);
  record(play);
  const auto began = std::get<session_created>(play.log("s").at(0).data).options;
  const auto tools = must(actors::recorded_tools(play.node().tools(), began));
  must(play.node().fork("s", 1, "left", actors::options_of_dry_run(began, began, tools, {})));
  {
    auto fork = must(play.node().open(stage::options_of("left"), actors::opening::find));
    say(fork, "Do it");
    until_attention(fork);
  }
  play.close_first();
  const auto heir = play.start("heir", [](actors::node_settings& settings) { settings.takes_over = true; });
  auto fork = must(heir->open(stage::options_of("left"), actors::opening::find));
  BOOST_TEST(session::status(until_attention(fork)) == "waiting");
  BOOST_TEST(play.gates.begun("a") == 1U); // by the recording
}

BOOST_AUTO_TEST_CASE(where_they_part_is_told_and_a_call_that_was_not_made_fails) {
  stage play(calls_a);
  record(play);
  again dry(play,
      R"({"when":{"has_tool_result":true},"reply":[{"text":"Done."}]}
{"reply":[)"
          + hold_call("b") + "]}");
  const auto found = dry.compared();
  BOOST_TEST(found.same == 0U);
  BOOST_REQUIRE(found.recorded.has_value());
  BOOST_REQUIRE(found.now.has_value());
  BOOST_TEST(found.recorded->calls.at(0).arguments == R"({"name":"a"})");
  BOOST_TEST(found.now->calls.at(0).arguments == R"({"name":"b"})");
  BOOST_TEST(dry.results.unknown() == 1U);
  BOOST_TEST(play.gates.begun("b") == 0U);
  BOOST_TEST(dry.now.results().at(R"(hold {"name":"b"})").at(0).is_error);
}

BOOST_AUTO_TEST_CASE(an_answer_more_or_less_is_where_they_part) {
  stage play(calls_a);
  record(play);
  again dry(
      play, R"({"when":{"has_tool_result":true},"times":1,"reply":[)" + hold_call("a") + "]}\n" + calls_a);
  const auto found = dry.compared();
  BOOST_TEST(found.same == 1U);
  BOOST_TEST(found.recorded->text == "Done.");
  BOOST_TEST(found.now->calls.size() == 1U);
}

BOOST_AUTO_TEST_CASE(what_was_cut_off_is_no_place_where_they_part) {
  const auto said = [](std::size_t input, const char* text, bool cut_off = false) {
    return actors::recorded_answer{1, text, {}, "end_turn", {}, input, cut_off};
  };
  const std::vector recorded{said(1, "one"), said(2, "tw", true), said(4, "four")};
  const auto found = actors::compare(
      recorded, {said(1, "one"), said(2, "two"), said(2, "and more"), said(3, "three"), said(4, "four")});
  BOOST_TEST(!found.parted());
  BOOST_TEST(found.same == 2U);
  const auto other = actors::compare(recorded, {said(1, "one"), said(2, "two"), said(4, "for")});
  BOOST_TEST(other.now->text == "for");
  BOOST_TEST(other.same == 1U);
}

BOOST_AUTO_TEST_CASE(what_is_changed_is_changed_and_what_messages_set_gives_way_to_it) {
  accept_message input = text_message("Hello", "m1", delivery::steer);
  input.settings = message_settings{"other", "big", "high", {}};
  actors::dry_run_changes changes;
  changes.model = "small";
  const auto said = actors::said_again(input, changes);
  BOOST_TEST(said.message_id == "");
  BOOST_TEST((said.delivery == delivery::send));
  BOOST_TEST((said.settings == message_settings{{}, {}, "high", {}}));
  changes.effort = "low";
  BOOST_TEST((actors::said_again(input, changes).settings == std::nullopt));

  options began;
  began.id = "s";
  began.max_turns = 3;
  began.temperature = 0.5;
  options now = began;
  now.temperature.reset();
  now.max_turns = 5;
  now.instructions = large_text("Be brief.");
  BOOST_TEST(actors::options_of_dry_run(began, now, {}, changes).text
      == R"({"max_turns":5,"temperature":null,"model":"small","effort":"low","instructions":"Be brief.","tools":[],"client_tools":[],"permissions":[{"tool":"*","decision":"allow"}],"on_failed_effect":"record"})");
}

BOOST_AUTO_TEST_CASE(a_call_is_the_same_whatever_the_order_of_its_keys) {
  BOOST_TEST((actors::call_of("t", R"({"b":[1,{"d":2,"c":3}],"a":1.50})")
      == actors::call_of("t", R"({"a":1.50,"b":[1,{"c":3,"d":2}]})")));
  BOOST_TEST(!(actors::call_of("t", R"({"a":[1,2]})") == actors::call_of("t", R"({"a":[2,1]})")));
  BOOST_TEST((actors::call_of("t", "{broken").arguments == "{broken"));
}

BOOST_AUTO_TEST_CASE(a_call_that_was_made_again_gets_its_results_in_their_order_then_the_last) {
  actors::recorded_results results(
      {{"t {}", {{content("one"), false, false}, {content("two"), true, false}}}});
  BOOST_TEST(plain_text(results.next({"t", "{}"})->content) == "one");
  BOOST_TEST(plain_text(results.next({"t", "{}"})->content) == "two");
  BOOST_TEST(results.next({"t", "{}"})->is_error);
  BOOST_TEST(!results.next({"t", R"({"a":1})"}).has_value());
  BOOST_TEST(results.unknown() == 1U);
}

BOOST_AUTO_TEST_CASE(what_was_taken_back_is_not_said_again) {
  actors::recording said;
  for (const char* const id : {"m1", "m2"}) {
    message_queued message;
    message.message_id = id;
    message.content = content(id);
    said.take({1, {}, {}, message});
  }
  said.take({3, {}, {}, message_withdrawn{{"m1"}, "client"}});
  BOOST_REQUIRE(said.inputs().size() == 1U);
  BOOST_TEST(said.inputs()[0].message_id == "m2");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::testing
