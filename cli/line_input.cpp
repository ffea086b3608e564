// Whole lines of the standard input; editing is the editor's.
#include "cli/line_input.hpp"

#include "cli/line_editor.hpp"
#include "messages/text.hpp"

#include <cerrno>

#include <poll.h>
#include <unistd.h>

namespace troupe::cli {

namespace {

constexpr std::size_t line_bytes_max = std::size_t{4} << 20; ///< a longer one ends there

} // namespace

line_input::line_input(const std::string& history_file) {
  if (isatty(STDIN_FILENO) == 1)
    editor_ = std::make_unique<line_editor>(history_file);
}

line_input::~line_input() = default;

/// False at the end of the input, or if nothing comes in time.
bool line_input::read_more(int patience_ms) {
  pollfd source{STDIN_FILENO, POLLIN, 0};
  char bytes[65536];
  int ready = 0;
  do
    ready = poll(&source, 1, patience_ms);
  while (ready < 0 && errno == EINTR && patience_ms < 0);
  if (ready <= 0) // interrupted neither: a read would hold whoever only looks
    return false;
  const ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);
  if (got > 0)
    waiting_.append(bytes, static_cast<std::size_t>(got));
  return got > 0;
}

std::optional<std::string> line_input::take_line(bool at_end) {
  auto end = waiting_.find('\n');
  if (end == std::string::npos && (waiting_.size() >= line_bytes_max || (at_end && !waiting_.empty())))
    end = waiting_.size();
  if (end == std::string::npos)
    return std::nullopt;
  std::string line = waiting_.substr(0, end);
  waiting_.erase(0, end + 1);
  if (line.ends_with('\r'))
    line.pop_back();
  return to_utf8(line);
}

line_input::answer line_input::next(const std::string& prompt) {
  if (auto line = take_line(false)) // typed before anybody asked
    return {outcome::line, std::move(*line)};
  if (editor_)
    return editor_->read(prompt);
  while (read_more(-1))
    if (auto line = take_line(false))
      return {outcome::line, std::move(*line)};
  auto rest = take_line(true);
  return {rest ? outcome::line : outcome::end, rest.value_or("")};
}

std::optional<std::string> line_input::typed() {
  if (!editor_)
    return std::nullopt; // a script's lines wait for their turn
  read_more(0);
  return take_line(false);
}

} // namespace troupe::cli
