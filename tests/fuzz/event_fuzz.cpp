// Lines of a log, options and contents from outside: what can be read is written the same ever after.
#include "messages/event_codec.hpp"
#include "messages/upcast.hpp"
#include "tests/fuzz/must.hpp"

using namespace troupe;
using fuzz::must;

namespace {

void read_line(std::string_view line) {
  const auto stored = from_line(line);
  if (!stored)
    return;
  const auto written = to_line(*stored);
  const auto again = from_line(written);
  must(again.has_value() && to_line(*again) == written, "a line stays as it is");
  const auto read = decode(*stored);
  if (!read)
    return;
  const auto payload = encode(read->data);
  const auto newest = decode(stored->type, newest_version(stored->type), payload);
  must(newest.has_value(), "what was encoded can be decoded");
  must(encode(*newest) == payload, "a payload stays as it is");
}

void read_value(std::string_view text) {
  const auto value = json::parse(text);
  if (!value)
    return;
  if (const auto read = content_from_json(*value)) {
    const auto written = to_json(*read);
    const auto parsed = json::parse(written);
    must(parsed.has_value(), "a content is written as JSON");
    const auto again = content_from_json(*parsed);
    must(!again || to_json(*again) == written, "a content stays as it is");
  }
  if (const auto read = options_from_json(*value)) {
    const auto written = to_json(*read);
    const auto parsed = json::parse(written);
    must(parsed.has_value(), "options are written as JSON");
    const auto again = options_from_json(*parsed);
    must(!again || to_json(*again) == written, "options stay as they are");
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  read_line(text);
  read_value(text);
  return 0;
}
