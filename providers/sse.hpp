// Event streams (text/event-stream) read from bytes, however the network cuts them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::providers {

/// A line, and the data of one event, may be this big.
inline constexpr std::size_t sse_frame_bytes_max = std::size_t{16} << 20;

struct sse_event {
  std::string type; ///< `message` unless the stream says otherwise
  std::string data; ///< UTF-8; what was broken is U+FFFD
  bool operator==(const sse_event&) const = default;
};

/// The decoder of the WHATWG event stream rules. Each byte is looked at once; a chunk edge may fall
/// anywhere, inside a character, a CRLF pair, a field's name or the BOM.
class sse_decoder {
 public:
  explicit sse_decoder(std::size_t frame_bytes_max = sse_frame_bytes_max) : frame_max_(frame_bytes_max) {}

  /// Takes the next bytes and appends the events that they complete. False when a line or an event
  /// is over the bound: then and from then on nothing more comes out.
  bool feed(std::string_view bytes, std::vector<sse_event>& events);

  /// The stream has ended: what was collected of an event without its blank line. The standard
  /// throws it away; a caller may take it if it is whole by itself.
  std::optional<sse_event> finish();

  const std::string& last_event_id() const { return last_event_id_; }
  std::optional<std::int64_t> retry_ms() const { return retry_ms_; }
  bool failed() const { return failed_; }

 private:
  std::string_view without_bom(std::string_view bytes);
  void take_line(std::string_view line, std::vector<sse_event>& events);
  void take_field(std::string_view name, std::string_view value);
  void dispatch(std::vector<sse_event>& events);

  std::size_t frame_max_;
  std::string partial_; ///< a line whose end hasn't come
  std::string type_;
  std::string data_;
  bool data_seen_ = false;
  bool swallow_lf_ = false; ///< the last line ended in CR: one LF belongs to it
  bool failed_ = false;
  std::size_t bom_matched_ = 0; ///< bytes of a leading BOM so far; 3: past it
  std::string last_event_id_;
  std::optional<std::int64_t> retry_ms_;
};

} // namespace troupe::providers
