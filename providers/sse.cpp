// The event stream decoder: lines out of bytes, fields out of lines, events out of fields.
#include "providers/sse.hpp"

#include "messages/text.hpp"

#include <algorithm>
#include <utility>

namespace troupe::providers {

namespace {
constexpr std::string_view bom = "\xEF\xBB\xBF";
} // namespace

// A BOM may come byte by byte. What turns out not to be one is the start of the first line.
std::string_view sse_decoder::without_bom(std::string_view bytes) {
  while (bom_matched_ < bom.size() && !bytes.empty()) {
    if (bytes.front() != bom[bom_matched_]) {
      partial_.append(bom.substr(0, bom_matched_));
      bom_matched_ = bom.size();
      return bytes;
    }
    bytes.remove_prefix(1);
    ++bom_matched_;
  }
  return bytes;
}

bool sse_decoder::feed(std::string_view bytes, std::vector<sse_event>& events) {
  if (failed_)
    return false;
  bytes = without_bom(bytes);
  std::size_t at = 0;
  std::size_t lf = 0; // where the next LF is; looked for again only once it is passed
  bool lf_known = false;
  while (at < bytes.size()) {
    if (swallow_lf_) {
      swallow_lf_ = false;
      if (bytes[at] == '\n') {
        ++at;
        continue;
      }
    }
    if (!lf_known || lf < at) {
      lf = std::min(bytes.find('\n', at), bytes.size());
      lf_known = true;
    }
    auto cr = bytes.substr(at, lf - at).find('\r');
    auto end = cr == std::string_view::npos ? lf : at + cr;
    if (partial_.size() + (end - at) + data_.size() > frame_max_)
      return failed_ = true, false;
    if (end == bytes.size()) {
      partial_.append(bytes.substr(at));
      break;
    }
    if (partial_.empty()) {
      take_line(bytes.substr(at, end - at), events);
    } else {
      partial_.append(bytes.substr(at, end - at));
      take_line(partial_, events);
      partial_.clear();
    }
    swallow_lf_ = bytes[end] == '\r';
    at = end + 1;
  }
  return true;
}

void sse_decoder::take_line(std::string_view line, std::vector<sse_event>& events) {
  if (line.empty())
    return dispatch(events);
  auto colon = line.find(':');
  if (colon == 0)
    return; // a comment: it only shows that the other side lives
  if (colon == std::string_view::npos)
    return take_field(line, {});
  auto value = line.substr(colon + 1);
  if (value.starts_with(' '))
    value.remove_prefix(1);
  take_field(line.substr(0, colon), value);
}

void sse_decoder::take_field(std::string_view name, std::string_view value) {
  if (name == "data") {
    if (data_seen_)
      data_ += '\n';
    data_ += value;
    data_seen_ = true;
  } else if (name == "event") {
    type_ = to_utf8(value);
  } else if (name == "id") {
    if (value.find('\0') == std::string_view::npos)
      last_event_id_ = to_utf8(value);
  } else if (name == "retry") {
    auto digits = !value.empty() && value.size() <= 15
        && std::all_of(value.begin(), value.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (digits)
      retry_ms_ = std::stoll(std::string(value));
  }
}

void sse_decoder::dispatch(std::vector<sse_event>& events) {
  if (data_seen_)
    events.push_back({type_.empty() ? "message" : std::move(type_), to_utf8(data_)});
  type_.clear();
  data_.clear();
  data_seen_ = false;
}

std::optional<sse_event> sse_decoder::finish() {
  if (failed_)
    return std::nullopt;
  std::vector<sse_event> events;
  if (!partial_.empty())
    take_line(std::exchange(partial_, {}), events);
  dispatch(events);
  return events.empty() ? std::nullopt : std::optional(std::move(events.front()));
}

} // namespace troupe::providers
