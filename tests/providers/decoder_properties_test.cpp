// What holds of every format's decoder: the network's cuts don't matter, and what is cut off runs nothing.
#include "providers/anthropic/decode.hpp"
#include "providers/openai_chat/decode.hpp"
#include "tests/providers/anthropic/transcripts.hpp"
#include "tests/providers/decoding.hpp"
#include "tests/providers/openai_chat/transcripts.hpp"

#include <functional>
#include <random>

namespace troupe::providers {

using namespace testing;

BOOST_AUTO_TEST_SUITE(decoder_properties)

namespace {

struct recorded {
  std::string name;
  std::function<std::unique_ptr<decoder>()> make;
  std::string stream;
  std::string stop; ///< where the event with the reason to stop begins

  decoded decode(
      const std::vector<std::string_view>& pieces, const std::optional<failure>& cut = in_order) const {
    return decode_into(*make(), pieces, cut);
  }
};

std::vector<recorded> all() {
  auto messages = [] { return std::make_unique<anthropic::stream_decoder>(); };
  auto chat = [] { return std::make_unique<openai_chat::stream_decoder>(); };
  auto wide = started() + text_start(0) + text_delta(0, "你好🙂 café") + block_stop(0)
      + testing::call_start(1, "t", "n") + json_delta(1, R"({\"a\":\"\\u00e9\"})") + block_stop(1)
      + testing::stop("tool_use") + message_stop();
  return {{"messages", messages, thinking_and_call(), "event: message_delta"},
      {"messages, wide", messages, wide, "event: message_delta"},
      {"chat", chat, chat::two_calls(), chat::finish("tool_calls")},
      {"chat, wide", chat, chat::everything(), chat::finish("tool_calls")}};
}

bool has_call(const decoded& got) {
  return std::any_of(got.blocks.begin(), got.blocks.end(),
      [](const auto& one) { return std::holds_alternative<tool_call_block>(one); });
}

} // namespace

// B-005, B-006, B-007
BOOST_AUTO_TEST_CASE(every_cut_gives_the_same_events) {
  for (const auto& one : all()) {
    auto stream = std::string_view(one.stream);
    auto whole = one.decode({stream});
    BOOST_REQUIRE_MESSAGE(whole.end.state == inference_state::completed, one.name << "\n" << whole.log);
    BOOST_TEST(whole.log.find("\xEF\xBF\xBD") == std::string::npos);
    for (std::size_t cut = 0; cut <= stream.size(); ++cut)
      BOOST_REQUIRE_EQUAL(one.decode({stream.substr(0, cut), stream.substr(cut)}).log, whole.log);
    std::vector<std::string_view> bytes;
    for (std::size_t i = 0; i < stream.size(); ++i)
      bytes.push_back(stream.substr(i, 1));
    BOOST_TEST(one.decode(bytes).log == whole.log);
  }
}

BOOST_AUTO_TEST_CASE(many_cuts_at_once_give_the_same_events) {
  std::mt19937 random(20261130);
  for (const auto& one : all()) {
    auto whole = one.decode({one.stream}).log;
    for (int round = 0; round < 300; ++round) {
      auto longest = std::size_t{1} << (1 + random() % 9);
      std::vector<std::string_view> pieces;
      for (auto rest = std::string_view(one.stream); !rest.empty();) {
        auto size = std::min<std::size_t>(rest.size(), random() % longest);
        pieces.push_back(rest.substr(0, size)); // an empty one, too
        rest.remove_prefix(size);
      }
      BOOST_REQUIRE_EQUAL(one.decode(pieces).log, whole);
    }
  }
}

// B-001, B-003: without its reason to stop an answer is an error, and with it the whole answer is there.
BOOST_AUTO_TEST_CASE(truncated_anywhere_is_an_error_or_a_lawful_end) {
  std::vector<std::optional<failure>> cuts(2); // in order, and broken
  cuts[1] = cut_off;
  for (const auto& one : all()) {
    auto whole = one.decode({one.stream}).log;
    auto stop_begins = one.stream.find(one.stop);
    for (std::size_t size = 0; size < one.stream.size(); ++size) {
      for (const auto& cut : cuts) {
        auto got = one.decode({std::string_view(one.stream).substr(0, size)}, cut);
        if (got.end.state == inference_state::completed) {
          BOOST_REQUIRE(size > stop_begins);
          BOOST_REQUIRE_EQUAL(got.log, whole);
          continue;
        }
        BOOST_REQUIRE(got.end.error.has_value());
        BOOST_REQUIRE(!got.end.stop.has_value()); // so nothing runs, whatever calls came before
        BOOST_REQUIRE_EQUAL(
            got.end.error->message, cut ? "cut" : "provider stream ended without a stop event");
        BOOST_REQUIRE_EQUAL(got.end.error->retryable, cut.has_value());
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_completion_gives_no_call_before_its_reason_to_stop) {
  for (const auto& one : all())
    if (one.name.starts_with("chat")) {
      auto stop_begins = one.stream.find(one.stop);
      for (std::size_t size = 0; size <= stop_begins; ++size)
        BOOST_REQUIRE(!has_call(one.decode({std::string_view(one.stream).substr(0, size)})));
    }
}

// B-006: what can never become a character is replaced, once, and what follows is unharmed.
BOOST_AUTO_TEST_CASE(a_broken_byte_is_replaced_and_its_neighbours_are_not) {
  for (const auto& one : all()) {
    auto at = one.stream.find(one.name.starts_with("chat") ? "Oslo" : "Need a reading");
    if (at == std::string::npos)
      continue;
    auto broken = one.stream;
    broken.insert(at, "\xFF");
    auto got = one.decode({broken});
    BOOST_TEST((got.end.state == inference_state::completed));
    auto clean = got.log;
    std::size_t replaced = 0;
    for (auto found = clean.find("\xEF\xBF\xBD"); found != std::string::npos;
         found = clean.find("\xEF\xBF\xBD")) {
      clean.erase(found, 3);
      ++replaced;
    }
    BOOST_TEST(replaced == 2U); // in the delta, and in the block
    BOOST_TEST(clean == one.decode({one.stream}).log);
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::providers
