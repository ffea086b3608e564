// A session's context as people read it.
#pragma once

#include "messages/message.hpp"

#include <ostream>

namespace troupe::cli {

/// One message after the other: who speaks, the text, calls and their results.
void print_transcript(std::ostream& out, const std::vector<message>& context);

/// `text` in one line of at most `characters_max` bytes, for a glance.
std::string glance(std::string_view text, std::size_t bytes_max = 100);

/// Text from a model or a tool as a terminal may show it: control characters other than line ends
/// and tabs become visible, so that none of them steers the terminal.
std::string for_terminal(std::string_view text);

} // namespace troupe::cli
