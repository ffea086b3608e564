// What a decoder makes of bytes that come in pieces, in a form that can be compared.
#pragma once

#include "providers/wire_format.hpp"
#include "tests/providers/told.hpp"

#include <boost/test/unit_test.hpp>

namespace troupe::providers::testing {

/// How the body ended: as it should, or broken off.
inline const std::optional<failure> in_order;
inline const failure cut_off{"network", std::nullopt, true, "cut"};

struct decoded {
  std::vector<stream_event> events;
  attempt_finished end;
  std::vector<block> blocks;
  std::string log; ///< what happened, but for the usage
};

inline decoded decode_into(decoder& decoder, const std::vector<std::string_view>& pieces,
    const std::optional<failure>& cut = in_order) {
  decoded got;
  for (auto piece : pieces)
    if (!decoder.feed(piece, got.events))
      break;
  decoder.finish(cut, got.events);
  for (const auto& event : got.events) {
    got.log += told(event);
    if (const auto* done = std::get_if<block_finished>(&event))
      got.blocks.push_back(done->block);
  }
  BOOST_REQUIRE(!got.events.empty());
  got.end = std::get<attempt_finished>(got.events.back());
  return got;
}

template <class Decoder>
decoded decode_as(std::string_view stream, const std::optional<failure>& cut = in_order) {
  Decoder decoder;
  return decode_into(decoder, {stream}, cut);
}

/// The stream is refused, in these words.
template <class Decoder>
void breaks_as(std::string_view stream, std::string_view words, std::string_view code = "invalid_request") {
  auto got = decode_as<Decoder>(stream);
  BOOST_TEST((got.end.state == inference_state::error));
  BOOST_REQUIRE(got.end.error.has_value());
  BOOST_TEST(got.end.error->message.find(words) != std::string::npos, got.end.error->message);
  BOOST_TEST(got.end.error->code == code);
  BOOST_TEST(!got.end.stop.has_value());
}

/// The arguments of the block, which must be a call with a lawful object.
inline std::string arguments_of(const block& one) {
  const auto* call = std::get_if<tool_call_block>(&one);
  BOOST_REQUIRE(call != nullptr);
  BOOST_REQUIRE_MESSAGE(call->arguments.has_value(), content_of(one));
  return call->arguments->text;
}

} // namespace troupe::providers::testing
