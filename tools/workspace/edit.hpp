// The arithmetic of an edit: finding a passage in a text and putting another in its place.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe::tools {

struct edited_text {
  std::string text;
  std::size_t count = 0;      ///< passages replaced
  std::size_t first_line = 0; ///< of the first, from 1
  std::string why_not;        ///< a sentence, where nothing was replaced
};

/// Replaces `old_text`, which must occur once (counted with overlaps) unless `all`. In a text whose
/// lines end in CRLF a passage given with LF is found too, and what takes its place ends lines as
/// the text does.
edited_text replace_passage(
    std::string_view text, std::string_view old_text, std::string_view new_text, bool all);

} // namespace troupe::tools
