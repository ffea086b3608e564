// What every decoder of answers keeps to, whatever it is fed.
#pragma once

#include "messages/text.hpp"
#include "providers/wire_format.hpp"
#include "tests/fuzz/must.hpp"
#include "tests/fuzz/pieces.hpp"
#include "tests/providers/told.hpp"

namespace troupe::fuzz {

using namespace providers;

inline std::vector<stream_event> events_of(decoder& decoder, const std::vector<std::string_view>& pieces) {
  std::vector<stream_event> events;
  for (const auto piece : pieces)
    if (!decoder.feed(piece, events))
      break;
  decoder.finish(std::nullopt, events);
  return events;
}

/// Blocks begin in the order of their indexes, grow and finish at most once; the end is the last event,
/// and only an answer that is whole has a reason to stop.
inline void check_order(const std::vector<stream_event>& events) {
  std::vector<bool> finished;
  for (const auto& event : events) {
    if (const auto* begun = std::get_if<block_started>(&event)) {
      must(begun->index == static_cast<std::int64_t>(finished.size()), "blocks begin without holes");
      finished.push_back(false);
    } else if (const auto* piece = std::get_if<block_delta>(&event)) {
      must(static_cast<std::size_t>(piece->index) < finished.size(), "only what has begun grows");
      must(!finished[static_cast<std::size_t>(piece->index)], "what is finished doesn't grow");
      must(is_utf8(piece->text) && !piece->text.empty(), "pieces are whole characters");
    } else if (const auto* done = std::get_if<block_finished>(&event)) {
      must(static_cast<std::size_t>(done->index) < finished.size(), "only what has begun is finished");
      must(!finished[static_cast<std::size_t>(done->index)], "a block is finished once");
      finished[static_cast<std::size_t>(done->index)] = true;
    } else {
      const auto& end = std::get<attempt_finished>(event);
      must(&event == &events.back(), "the end is the last");
      must(end.error.has_value() == (end.state == inference_state::error), "an error has its reason");
      must(end.stop.has_value() == (end.state == inference_state::completed),
          "a whole answer says why it ends");
    }
  }
  must(!events.empty() && std::holds_alternative<attempt_finished>(events.back()), "there is an end");
}

template <class Stream, class Whole> void check_answer(const std::uint8_t* data, std::size_t size) {
  const pieces input(data, size);
  Stream at_once, in_pieces;
  const auto whole = events_of(at_once, {input.whole});
  check_order(whole);
  std::string expected, got;
  for (const auto& event : whole)
    expected += testing::told(event);
  for (const auto& event : events_of(in_pieces, input.cut))
    got += testing::told(event);
  must(got == expected, "the same events however the bytes come");
  Whole object;
  check_order(events_of(object, {input.whole}));
}

} // namespace troupe::fuzz
