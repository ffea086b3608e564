// JSON from outside: what is taken comes out the same, as often as it is written again.
#include "messages/json.hpp"
#include "messages/text.hpp"
#include "tests/fuzz/must.hpp"

using namespace troupe;
using fuzz::must;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  const auto parsed = json::parse(text);
  const auto compacted = json::compact(text);
  must(parsed.has_value() == compacted.has_value(), "parse and compact take the same");
  if (compacted) {
    const auto& once = compacted->text.text;
    must(is_utf8(once), "what is written is UTF-8");
    const auto again = json::compact(once);
    must(again.has_value() && again->text == compacted->text, "compact text stays as it is");
    must(again->type == parsed->type(), "the kind of the value is kept");
    must(json::parse(once).has_value(), "compact text can be parsed");
  }
  const auto clean = to_utf8(text);
  must(is_utf8(clean), "to_utf8 gives UTF-8");
  const auto quoted = json::quote(clean);
  const auto back = json::parse(quoted);
  must(back.has_value() && back->as_string() == clean, "a string comes back as it was");
  return 0;
}
