// A body that comes in chunks (RFC 9112 §7.1), in whatever pieces; nothing of it is kept but the content.
// Ours, for both sides: Beast's own reading (1.81) asserts what the peer decides, a `0` line cut behind its
// end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace troupe::providers {

class chunk_reader {
 public:
  enum class state : std::uint8_t {
    more,
    whole,    ///< the trailers have ended; they are dropped
    broken,   ///< the framing is
    too_large ///< the content is over its bound
  };

  /// A chunk's first line and all the trailers may have so many bytes each.
  static constexpr std::size_t line_bytes_max = std::size_t{8} << 10;

  explicit chunk_reader(std::size_t content_bytes_max) : content_left_(content_bytes_max) {}

  /// Appends the content to `out`; `used` says how many bytes were taken: all, unless it is over.
  state take(std::string_view bytes, std::size_t& used, std::string& out);

 private:
  /// What comes next.
  enum class part : std::uint8_t {
    size,         ///< the first digit
    size_or_more, ///< digits, an extension or the line's end
    size_blank,   ///< blanks behind the digits: old servers fill the line with them
    extension,
    size_end, ///< LF
    content,
    content_cr,
    content_lf,
    trailer, ///< at the start of a line
    in_trailer,
    trailer_end, ///< LF
    last_end,    ///< LF
  };

  state step(char c);
  state take_digit(int digit);
  state behind_size(char c);
  state to(part next) {
    part_ = next;
    return state::more;
  }

  part part_ = part::size;
  std::size_t content_left_; ///< that may still come
  std::size_t chunk_left_ = 0;
  std::size_t line_bytes_ = 0;
};

} // namespace troupe::providers
