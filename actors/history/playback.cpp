// Pieces end between characters, and there are no more of a block than anybody can see.
#include "actors/history/playback.hpp"

#include "messages/event_codec.hpp"
#include "messages/text.hpp"

#include <algorithm>

namespace troupe::actors {

namespace {

constexpr std::size_t piece_bytes = 24;
constexpr std::size_t pieces_max = 200;

struct block_text {
  providers::block_kind kind = providers::block_kind::text;
  std::string_view text;
};

std::optional<block_text> text_of(const block& shown) {
  if (const auto* const it = std::get_if<text_block>(&shown); it && it->text.loaded)
    return block_text{providers::block_kind::text, it->text.text};
  if (const auto* const it = std::get_if<thinking_block>(&shown); it && it->text.loaded)
    return block_text{providers::block_kind::thinking, it->text.text};
  if (const auto* const it = std::get_if<tool_call_block>(&shown); it && it->arguments)
    return block_text{providers::block_kind::tool_call, it->arguments->text};
  return std::nullopt;
}

} // namespace

std::vector<played_item> playback::take(const recorded_event& event) {
  std::vector<played_item> out;
  const timestamp since = last_.value_or(event.at);
  last_ = event.at;
  const auto happened = event.type == "assistant.block" ? decode(event) : result<troupe::event>(problem{});
  const auto* const it = happened ? std::get_if<assistant_block>(&happened->data) : nullptr;
  if (const auto whole = it ? text_of(it->block) : std::nullopt) {
    const std::size_t bytes = std::max(piece_bytes, whole->text.size() / pieces_max);
    const std::int64_t took = std::max<std::int64_t>(event.at.microseconds - since.microseconds, 0);
    for (std::size_t offset = 0; offset < whole->text.size();) {
      const auto piece = utf8_prefix(whole->text.substr(offset), bytes);
      const auto done = static_cast<double>(offset) / static_cast<double>(whole->text.size());
      out.push_back({{since.microseconds + static_cast<std::int64_t>(done * static_cast<double>(took))},
          live_delta{it->inference_id, it->index, whole->kind, offset, std::string(piece)}});
      offset += piece.size();
    }
  }
  out.push_back({event.at, event});
  return out;
}

std::chrono::microseconds played_pause(timestamp before, timestamp after, double speed) {
  if (speed <= 0 || after.microseconds <= before.microseconds)
    return std::chrono::microseconds{0};
  constexpr auto longest = std::chrono::microseconds(played_pause_max);
  const double pause = static_cast<double>(after.microseconds - before.microseconds) / speed;
  return pause >= static_cast<double>(longest.count())
      ? longest
      : std::chrono::microseconds(static_cast<std::int64_t>(pause));
}

} // namespace troupe::actors
