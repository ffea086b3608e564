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

/// A node whose tools give what is on record, over the same store, with a gym of its own.
struct again {
  again(stage& play, const std::string& rules, actors::dry_run_changes with = {})
      : changes(std::move(with)), said(recording_of(play, "s")),
        results(std::make_shared<actors::recorded_results>(said.results())), other(rules) {
    const auto began = std::get<session_created>(play.log("s").at(0).data).options;
    node = play.start("dry", [&](actors::node_settings& settings) {
      settings.tools = must(actors::recorded_tools(settings.tools, began, results));
      settings.providers["gym"] = stage::provider_of(*other.gym);
    });
    std::promise<result<bool>> made;
    node->fork("s", 1, "again", actors::options_of_dry_run(began, began, node->tools(), changes),
        [&](const result<bool>& came) { made.set_value(came); });
    must(made.get_future().get());
    auto fork = must(node->open(stage::options_of("again"), actors::opening::find));
    for (const auto& input : said.inputs()) {
      must(fork.post(actors::said_again(input, changes)));
      until_idle(fork);
    }
    now = recording_of(play, "again", 1);
  }
  actors::dry_run_comparison compared() const { return actors::compare(said.answers(), now.answers()); }

  actors::dry_run_changes changes;
  actors::recording said;
  std::shared_ptr<actors::recorded_results> results;
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
  BOOST_TEST(dry.results->unknown() == 0U);
  BOOST_TEST(play.gates.begun("a") == 1U); // by the recording alone
  BOOST_TEST(play.wrong_with("again") == "");
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
  BOOST_TEST(dry.results->unknown() == 1U);
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
  options now = began;
  now.max_turns = 5;
  now.instructions = large_text("Be brief.");
  BOOST_TEST(actors::options_of_dry_run(began, now, {}, changes).text
      == R"({"max_turns":5,"model":"small","effort":"low","instructions":"Be brief.","tools":[],"client_tools":[],"permissions":[{"tool":"*","decision":"allow"}]})");
}

BOOST_AUTO_TEST_CASE(a_call_is_the_same_whatever_the_order_of_its_keys) {
  BOOST_TEST((actors::call_of("t", R"({"b":[1,{"d":2,"c":3}],"a":1.50})")
      == actors::call_of("t", R"({"a":1.50,"b":[1,{"c":3,"d":2}]})")));
  BOOST_TEST(!(actors::call_of("t", R"({"a":[1,2]})") == actors::call_of("t", R"({"a":[2,1]})")));
  BOOST_TEST((actors::call_of("t", "{broken").arguments == "{broken"));
}

BOOST_AUTO_TEST_CASE(a_call_that_was_made_again_gets_its_results_in_their_order_then_the_last) {
  actors::recorded_results results({{"t {}", {{content("one"), false, {}}, {content("two"), true, {}}}}});
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
