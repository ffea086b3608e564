// The tool `read_file`: text by lines, bounded, saying how to get the rest.
#include "messages/text.hpp"
#include "tools/described.hpp"
#include "tools/kept_result.hpp"
#include "tools/workspace/files.hpp"
#include "tools/workspace/workspace.hpp"

#include <algorithm>
#include <cerrno>

#include <sys/stat.h>

namespace troupe::tools {

struct read_file_arguments {
  std::string path;
  std::optional<std::uint64_t> offset;
  std::optional<std::uint64_t> limit;
  std::optional<std::uint64_t> byte_offset;
};
BOOST_DESCRIBE_STRUCT(read_file_arguments, (), (path, offset, limit, byte_offset))

namespace {

constexpr std::size_t note_bytes_max = 512;
constexpr std::size_t excerpt_bytes_max = output_bytes_max - note_bytes_max;
constexpr std::size_t looked_at_for_binary = 8192;

/// Reads a file piece by piece and gives lines out.
class line_reader {
 public:
  line_reader(const descriptor& file, const call& call) : file_(file), call_(call) {}

  bool failed() const { return error_ != 0; }
  int error() const { return error_; }
  bool at_end() {
    fill();
    return begin_ == end_;
  }
  std::string_view buffered() {
    fill();
    return {buffer_ + begin_, end_ - begin_};
  }
  void take(std::size_t bytes) {
    begin_ += bytes;
    position_ += bytes;
  }
  std::uint64_t position() const { return position_; }
  void rewind(std::uint64_t to) {
    error_ = ::lseek(file_.get(), static_cast<off_t>(to), SEEK_SET) < 0 ? errno : 0;
    begin_ = end_ = 0;
    position_ = to;
  }

  /// Passes over `count` lines; the number of those that were there.
  std::uint64_t skip(std::uint64_t count) {
    std::uint64_t skipped = 0;
    while (skipped < count && !at_end() && !call_.cancelled()) {
      const std::string_view here = buffered();
      const std::size_t line_end = here.find('\n');
      take(line_end == std::string_view::npos ? here.size() : line_end + 1);
      if (line_end != std::string_view::npos || at_end())
        ++skipped;
    }
    return skipped;
  }

 private:
  void fill() {
    if (begin_ < end_ || error_ != 0)
      return;
    ssize_t got = -1;
    do
      got = ::read(file_.get(), buffer_, sizeof buffer_);
    while (got < 0 && errno == EINTR);
    error_ = got < 0 ? errno : 0;
    begin_ = 0;
    end_ = got < 0 ? 0 : static_cast<std::size_t>(got);
  }

  const descriptor& file_;
  const call& call_;
  char buffer_[65536];
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t position_ = 0; ///< in the file, of the next byte given out
  int error_ = 0;
};

struct excerpt {
  std::string text;
  std::uint64_t lines = 0;  ///< whole lines in it
  bool cut_in_line = false; ///< the bound was reached inside the only line
  bool more = false;
};

/// Lines up to the limit and the bound; only whole ones, unless the first alone is over the bound.
excerpt take_lines(line_reader& reader, std::uint64_t limit, std::size_t bytes_max) {
  excerpt out;
  std::size_t whole = 0; // bytes of whole lines
  while (out.lines < limit && !reader.at_end()) {
    const std::string_view here = reader.buffered();
    const std::size_t line_end = here.find('\n');
    const std::size_t wanted = line_end == std::string_view::npos ? here.size() : line_end + 1;
    const std::size_t room = bytes_max - out.text.size();
    out.text += here.substr(0, std::min(wanted, room));
    reader.take(std::min(wanted, room));
    if (wanted > room) {
      out.more = true;
      out.cut_in_line = whole == 0;
      out.text.resize(out.cut_in_line ? utf8_prefix(out.text, bytes_max - 4).size() : whole);
      return out;
    }
    if (line_end != std::string_view::npos) {
      ++out.lines;
      whole = out.text.size();
    }
  }
  if (out.text.size() > whole)
    ++out.lines; // the last line has no end
  out.more = !reader.at_end();
  return out;
}

std::string note(const excerpt& found, std::uint64_t first_line, std::uint64_t first_byte, bool by_bytes) {
  if (found.cut_in_line) {
    const std::uint64_t next = first_byte + found.text.size();
    return "[this line goes on: the output ends at byte " + std::to_string(next)
        + "; continue with byte_offset " + std::to_string(next) + "]";
  }
  if (by_bytes)
    return "[the file goes on: continue with byte_offset " + std::to_string(first_byte + found.text.size())
        + "]";
  const std::uint64_t next = first_line + found.lines;
  return "[lines " + std::to_string(first_line) + " to " + std::to_string(next - 1)
      + "; the file goes on: continue with offset " + std::to_string(next) + "]";
}

output beyond_end(
    const read_file_arguments& query, std::uint64_t has, const char* unit, std::uint64_t asked) {
  return refusal("\"" + query.path + "\" has " + std::to_string(has) + " " + unit + " "
          + std::to_string(asked) + " is beyond its end.",
      error_kind::invalid_input);
}

output stopped() {
  output out;
  out.aborted = true;
  return out;
}

output read_text(const call& call, const read_file_arguments& query, const descriptor& file) {
  line_reader reader(file, call);
  struct stat status {};
  ::fstat(file.get(), &status);
  if (reader.buffered().substr(0, looked_at_for_binary).find('\0') != std::string_view::npos)
    return refusal("\"" + query.path + "\" is a binary file of " + std::to_string(status.st_size)
        + " bytes; it has no text to show.");
  const bool by_bytes = query.byte_offset.has_value();
  const std::uint64_t first_line = std::max<std::uint64_t>(query.offset.value_or(1), 1);
  std::uint64_t first_byte = query.byte_offset.value_or(0);
  const auto file_bytes = static_cast<std::uint64_t>(status.st_size);
  if (first_byte > file_bytes)
    return beyond_end(query, file_bytes, "bytes; byte_offset", first_byte);
  if (!by_bytes) {
    reader.rewind(0);
    const std::uint64_t skipped = reader.skip(first_line - 1);
    if (call.cancelled())
      return stopped();
    if (skipped < first_line - 1 || (first_line > 1 && reader.at_end()))
      return beyond_end(query, skipped, "lines; offset", first_line);
    first_byte = reader.position();
  }
  excerpt found;
  std::string text;
  for (const std::size_t bytes_max :
      {excerpt_bytes_max, excerpt_bytes_max / 3}) { // a broken byte becomes the three of U+FFFD
    reader.rewind(first_byte);
    found = take_lines(reader, query.limit.value_or(std::numeric_limits<std::uint64_t>::max()), bytes_max);
    text = to_utf8(found.text);
    if (text.size() <= excerpt_bytes_max)
      break;
  }
  if (reader.failed())
    return refusal(path_problem(query.path, reader.error()));
  if (found.text.empty() && !found.more)
    text = status.st_size == 0 ? "[the file is empty]" : "[nothing here]";
  else if (found.more)
    text += (text.ends_with('\n') ? "" : "\n") + note(found, first_line, first_byte, by_bytes);
  output out;
  out.content = content(std::move(text));
  return out;
}

} // namespace

std::shared_ptr<tool> make_read_file(std::shared_ptr<const root> root) {
  return define_tool("read_file",
      "Reads a text file of the workspace. Long files are cut; the note at the end says how to go on.",
      [root](const call& call, const read_file_arguments& query) {
        auto file = root->open_file(query.path);
        return file.has_error() ? refusal(file.error()) : read_text(call, query, *file);
      })
      .argument("path", "The file, relative to the workspace")
      .argument("offset", "The first line to read, counted from 1")
      .argument("limit", "How many lines to read at most")
      .argument("byte_offset",
          "Where to start, in bytes from 0, instead of offset: for a line too long to be read at once")
      .durable()
      .clearable()
      .idempotent()
      .shared()
      .coerce();
}

} // namespace troupe::tools
