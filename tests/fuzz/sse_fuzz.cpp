// Event streams: the same events however the bytes come, and nothing over the bound.
#include "messages/text.hpp"
#include "providers/sse.hpp"
#include "tests/fuzz/must.hpp"
#include "tests/fuzz/pieces.hpp"

using namespace troupe;
using fuzz::must;

namespace {

constexpr std::size_t frame_bytes = 256; // so small that inputs reach it

struct read {
  std::vector<providers::sse_event> events;
  bool failed = false;
  std::string id;
  bool operator==(const read&) const = default;
};

read decode(const std::vector<std::string_view>& pieces) {
  providers::sse_decoder decoder(frame_bytes);
  read got;
  for (const auto piece : pieces)
    if (!decoder.feed(piece, got.events))
      break;
  got.failed = decoder.failed();
  if (auto rest = decoder.finish())
    got.events.push_back(std::move(*rest));
  got.id = decoder.last_event_id();
  return got;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::pieces input(data, size);
  const auto whole = decode({input.whole});
  must(decode(input.cut) == whole, "the same events however the bytes come");
  for (const auto& event : whole.events) {
    must(is_utf8(event.data) && is_utf8(event.type), "events are UTF-8");
    must(event.data.size() <= 3 * frame_bytes, "no event is over the bound"); // U+FFFD is three bytes
  }
  return 0;
}
