// The text of answers as it comes: each piece once, whatever of it is missed or comes twice.
#include "troupe/text_follower.hpp"

#include "messages/event_codec.hpp"

#include <boost/test/unit_test.hpp>

namespace troupe::library {

BOOST_AUTO_TEST_SUITE(texts)

namespace {

constexpr auto text = providers::block_kind::text;

recorded_event stored(const event_data& data) {
  recorded_event out;
  out.type = type_name(data);
  out.payload = encode(data);
  return out;
}

recorded_event block(std::int64_t index, std::string said) {
  return stored(assistant_block{"i1", index, text_block{large_text(std::move(said))}});
}

std::string all(const std::vector<actors::stream_item>& items) {
  text_pieces pieces;
  std::string out;
  for (const auto& item : items)
    out += std::string(pieces.fresh(item)) + "|";
  return out;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_block_that_is_committed_adds_what_no_piece_has_brought) {
  using actors::live_delta;
  BOOST_TEST(all({live_delta{"i1", 0, text, 0, "Hel"}, live_delta{"i1", 0, text, 3, "lo"}, block(0, "Hello")})
      == "Hel|lo||");
  BOOST_TEST(all({live_delta{"i1", 0, text, 0, "Hel"}, block(0, "Hello")}) == "Hel|lo|");
  BOOST_TEST(all({block(0, "Hello")}) == "Hello|");
}

BOOST_AUTO_TEST_CASE(the_next_block_may_begin_before_the_last_one_is_committed) {
  using actors::live_delta;
  BOOST_TEST(all({live_delta{"i1", 0, text, 0, "One. "}, live_delta{"i1", 1, text, 0, "Tw"},
                 block(0, "One. "), live_delta{"i1", 1, text, 2, "o."}, block(1, "Two.")})
      == "One. |Tw||o.||");
}

BOOST_AUTO_TEST_CASE(who_comes_in_the_middle_is_told_all_of_the_block_once) {
  using actors::live_delta;
  BOOST_TEST(
      all({actors::live_partial{"i1", 0, text, "Hel"}, live_delta{"i1", 0, text, 3, "lo"}, block(0, "Hello")})
      == "Hel|lo||");
  BOOST_TEST(all({actors::live_delta{"i1", 0, providers::block_kind::thinking, 0, "Hm"}}) == "|");
}

BOOST_AUTO_TEST_CASE(an_answer_that_was_voided_comes_again_under_another_name) {
  using actors::live_delta;
  BOOST_TEST(all({live_delta{"i1", 0, text, 0, "Hel"}, stored(output_voided{"i1", "crash"}),
                 live_delta{"i2", 0, text, 0, "Hello"}})
      == "Hel||Hello|");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::library
