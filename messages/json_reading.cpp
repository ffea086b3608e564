// Reading the texts that may stand by reference.
#include "messages/json_reading.hpp"

namespace troupe::json {

void reader::get(const value& v, large_text& out) {
  if (v.is(kind::string)) {
    out = large_text(v.as_string());
    return;
  }
  if (from_outside_)
    return expected("a string");
  blob_ref ref;
  get(v, ref);
  out = large_text::reference(std::move(ref));
}

void reader::get(const value& v, referenced_text& out) {
  blob_ref ref;
  get(v, ref);
  out.content = large_text::reference(std::move(ref));
}

void reader::get(const value& v, content& out) {
  if (v.is(kind::array)) {
    get(v, out.value.emplace<std::vector<content_part>>());
  } else if (v.is(kind::string) || (!from_outside_ && v.is(kind::object))) {
    get(v, out.value.emplace<large_text>());
  } else {
    expected("a string or a list of blocks");
  }
}

} // namespace troupe::json
