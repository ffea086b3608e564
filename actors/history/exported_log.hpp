// The form of an exported log: JSON Lines, whole appends, each stored text before its first use
// (docs/events.md).
//
//   {"troupe_log":1,"session":"demo"}
//   {"blob":"sha256:…","content":"…"}
//   {"append":1,"command":1}
//   {"seq":1,"type":"session.created","at":"…","data":{…}}
//   {"end":1,"chain":"…"}
#pragma once

#include "messages/event.hpp"
#include "messages/result.hpp"

#include <istream>
#include <variant>

namespace troupe::actors {

/// The version of this form; a later one reads every earlier one.
inline constexpr std::int64_t exported_log_version = 1;
/// No line is longer: what an append may hold fits, a file that has no lines doesn't fill the memory.
inline constexpr std::size_t exported_line_bytes_max = std::size_t{64} << 20;
/// Of a line that is neither content nor an event.
inline constexpr std::size_t exported_head_bytes_max = 4'096;

struct log_header {
  std::string session;
};
struct log_blob {
  std::string name;
  std::string content;
};
/// What one command led to, as it is stored.
struct log_append {
  std::vector<recorded_event> events;
};
struct log_end {
  std::int64_t head = 0;
  std::string chain; ///< at the head, as hexadecimal digits
};
using log_item = std::variant<log_header, log_blob, log_append, log_end>;

void put_line(std::string& out, const log_header& header);
void put_line(std::string& out, const log_blob& blob);
void put_line(std::string& out, const log_append& append);
void put_line(std::string& out, const log_end& end);

/// Reads item by item, and holds no more than one.
class exported_log_reader {
 public:
  explicit exported_log_reader(std::istream& from) : from_(from) {}

  /// The next item, or nothing behind the last line. Errors: `invalid_input` with the line and the reason.
  result<std::optional<log_item>> next();
  /// Of the item that was read last, where it begins; 0 before the first.
  std::int64_t line() const { return item_line_; }
  problem refusal(const std::string& why) const;

 private:
  result<bool> read_line();
  result<std::optional<log_item>> item();
  result<std::optional<log_item>> append(std::int64_t seq, std::int64_t command);

  std::istream& from_;
  std::string text_;
  bool pending_ = false; ///< the line was looked at, and belongs to the next item
  std::int64_t line_ = 0;
  std::int64_t item_line_ = 0;
};

} // namespace troupe::actors
