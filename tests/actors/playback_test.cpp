// Playing back: what readers were shown, in its pieces and at its pace.
#include "actors/history/playback.hpp"
#include "messages/event_codec.hpp"
#include "tests/actors/stage.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(playing_back)

namespace {

recorded_event stored(std::int64_t seq, const event_data& data, std::int64_t at) {
  return {seq, seq, command_kind::block_finished, std::string(type_name(data)), 1, {at}, "r", encode(data)};
}

} // namespace

BOOST_AUTO_TEST_CASE(the_pieces_of_a_block_are_spread_over_its_time_and_cut_no_character) {
  std::string text;
  for (int i = 0; i < 40; ++i)
    text += "世界";
  actors::playback play;
  BOOST_TEST(play.take(stored(1, turn_started{1}, 1'000)).size() == 1U);
  const auto items = play.take(stored(2, assistant_block{"i", 0, text_block{text}}, 11'000));
  std::string joined;
  std::int64_t last = 1'000;
  for (std::size_t i = 0; i + 1 < items.size(); ++i) {
    const auto& delta = std::get<actors::live_delta>(items[i].what);
    BOOST_TEST(delta.offset == joined.size());
    BOOST_TEST(delta.text.size() % 3 == 0U);
    BOOST_TEST(items[i].at.microseconds >= last);
    last = items[i].at.microseconds;
    joined += delta.text;
  }
  BOOST_TEST(joined == text);
  BOOST_TEST(items.size() > 10U);
  BOOST_TEST(std::get<recorded_event>(items.back().what).seq == 2);
  BOOST_TEST(items.back().at.microseconds == 11'000);
}

BOOST_AUTO_TEST_CASE(a_pause_is_as_long_as_it_was_by_the_speed_and_never_over_its_bound) {
  using actors::played_pause;
  const timestamp begin{0};
  BOOST_TEST(played_pause(begin, {2'000'000}, 1).count() == 2'000'000);
  BOOST_TEST(played_pause(begin, {2'000'000}, 4).count() == 500'000);
  BOOST_TEST(played_pause(begin, {2'000'000}, 0.5).count() == 4'000'000);
  BOOST_TEST(played_pause(begin, {2'000'000}, 0).count() == 0);
  BOOST_TEST(played_pause({2'000'000}, begin, 1).count() == 0);
  BOOST_TEST(played_pause(begin, {86'400'000'000}, 1).count() == 10'000'000);
  BOOST_TEST(played_pause(begin, {86'400'000'000}, 1e-300).count() == 10'000'000);
}

BOOST_AUTO_TEST_CASE(a_played_session_is_what_was_live_and_ends_at_the_head) {
  stage play(R"({"reply":[{"thinking":"Hm."},{"text":"Grüße, 世界 and so on to the end of it."}]})");
  auto session = play.open("s");
  say(session, "Hello");
  until_idle(session);
  for (const double speed : {0.0, 1'000.0}) {
    const auto stream = play.node().play(session.row().key, 0, speed);
    std::map<std::int64_t, std::string> deltas;
    std::vector<recorded_event> events;
    while (!stream->ended())
      if (const auto item = stream->next(patience)) {
        if (const auto* const delta = std::get_if<actors::live_delta>(&*item))
          deltas[delta->block] += delta->text;
        else
          events.push_back(std::get<recorded_event>(*item));
      }
    BOOST_TEST((events == play.stored("s")));
    BOOST_TEST(deltas[0] == "Hm.");
    BOOST_TEST(deltas[1] == "Grüße, 世界 and so on to the end of it.");
  }
}

BOOST_AUTO_TEST_CASE(a_reader_that_leaves_in_the_middle_holds_nothing_up) {
  stage play(R"({"reply":[{"text":"Fine."}]})");
  auto session = play.open("s");
  say(session, "Hello");
  until_idle(session);
  for (int i = 0; i < 20; ++i) {
    const auto stream = play.node().play(session.row().key, 3, 0.000001); // its first pause outlives it
    stream->next(patience);
  }
  BOOST_TEST(play.wrong_with("s") == "");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::testing
