// The tool `search_text`: the lines of the workspace's text files that hold a text.
#include "messages/text.hpp"
#include "tools/described.hpp"
#include "tools/kept_result.hpp"
#include "tools/workspace/files.hpp"
#include "tools/workspace/folder.hpp"
#include "tools/workspace/workspace.hpp"

#include <algorithm>

#include <fcntl.h>
#include <sys/stat.h>

namespace troupe::tools {

struct search_text_arguments {
  std::string text;
  std::optional<std::string> path;
};
BOOST_DESCRIBE_STRUCT(search_text_arguments, (), (text, path))

namespace {

constexpr std::size_t lines_max = 500;
constexpr std::size_t files_max = 50'000;
constexpr std::size_t folders_max = 50'000;
constexpr std::size_t names_max = 50'000; // of one folder
constexpr std::size_t searched_bytes_max = 4 * 1024 * 1024;
constexpr std::size_t shown_bytes_max = 300;  // of a line
constexpr std::size_t before_bytes_max = 100; // of them before what was found
constexpr int depth_max = 32;

/// Of a line of bytes the part around what was found at `at`.
std::string part_of_line(std::string_view line, std::size_t at) {
  std::size_t begin = at > before_bytes_max && line.size() > shown_bytes_max ? at - before_bytes_max : 0;
  while (begin > 0 && begin < at && (static_cast<unsigned char>(line[begin]) & 0xC0) == 0x80)
    ++begin; // no half character at the cut
  const auto part = utf8_prefix(line.substr(begin), shown_bytes_max);
  return (begin > 0 ? "…" : "") + to_utf8(part) + (begin + part.size() < line.size() ? "…" : "");
}

class text_search {
 public:
  text_search(const root& root, const call& call, std::string_view wanted)
      : root_(root), call_(call), wanted_(wanted) {}

  void in_folder(const std::string& path, int depth) {
    const auto opened = root_.open_folder(path);
    if (opened.has_error())
      return;
    ++folders_;
    const auto found = read_folder(opened->get(), call_, names_max);
    if (found.has_error())
      return;
    passed_over_ += found->left_out;
    for (const std::string& name : found->names) {
      struct stat status {};
      if (is_over())
        return;
      if (name.starts_with('.') || ::fstatat(opened->get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
        continue;
      const std::string inside = path == "." ? name : path + "/" + name;
      if (S_ISREG(status.st_mode))
        in_file(inside);
      else if (S_ISDIR(status.st_mode) && depth < depth_max)
        in_folder(inside, depth + 1);
      else if (S_ISDIR(status.st_mode))
        ++passed_over_;
    }
  }

  void in_file(const std::string& path) {
    ++files_;
    const auto file = read_whole(root_, path, searched_bytes_max);
    if (file.has_error()) {
      passed_over_ += file.error().code == problem_code::too_large ? 1 : 0;
      return;
    }
    const std::string_view text = file->text;
    if (text.substr(0, 8192).find('\0') != std::string_view::npos)
      return; // no text
    std::size_t line = 1;
    std::size_t counted = 0; // up to here `line` is right
    for (std::size_t at = text.find(wanted_); at != std::string_view::npos && !is_over();) {
      line += static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(counted),
          text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
      const std::size_t before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
      const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
      const std::size_t end = std::min(text.find('\n', at), text.size());
      found_ += shown_name(path) + ":" + std::to_string(line) + ": "
          + part_of_line(text.substr(begin, end - begin), at - begin) + "\n";
      ++lines_;
      counted = at;
      at = text.find(wanted_, end);
    }
  }

  bool is_over() const { return is_full() || has_seen_enough() || call_.cancelled(); }

  output result() const {
    output out;
    out.aborted = call_.cancelled();
    std::string text = found_.empty() ? "[nothing found]\n" : found_;
    if (is_full())
      text += "[the first " + std::to_string(lines_) + " lines; search more narrowly for the rest]\n";
    else if (has_seen_enough())
      text += "[stopped after " + std::to_string(files_) + " files; name a path]\n";
    if (passed_over_ > 0)
      text += "[" + std::to_string(passed_over_)
          + " files or folders were passed over: too long, too deep or too many; use shell for them]\n";
    if (found_.empty())
      text.pop_back();
    out.content = content(std::move(text));
    return out;
  }

 private:
  bool is_full() const {
    return lines_ >= lines_max || found_.size() >= output_text_bytes_max - line_bytes_max;
  }
  bool has_seen_enough() const { return files_ >= files_max || folders_ >= folders_max; }

  /// A path of 4096 bytes may be shown six times as long, quoted.
  static constexpr std::size_t line_bytes_max = 6 * 4096 + 3 * shown_bytes_max + 64;

  const root& root_;
  const call& call_;
  std::string_view wanted_;
  std::string found_;
  std::size_t lines_ = 0;
  std::size_t files_ = 0;
  std::size_t folders_ = 0;
  std::size_t passed_over_ = 0;
};

output search(const root& root, const call& call, const search_text_arguments& query) {
  if (query.text.empty())
    return refusal("The text to search for is empty.", error_kind::invalid_input);
  if (query.text.find('\n') != std::string::npos)
    return refusal("The text to search for holds a line end; a line of it can be searched for.",
        error_kind::invalid_input);
  const auto start = root.inside(query.path.value_or("."));
  if (start.has_error())
    return refusal(start.error());
  text_search searching(root, call, query.text);
  if (const auto folder = root.open_folder(*start); folder.has_value()) {
    searching.in_folder(*start, 0);
  } else {
    const auto file = root.open_file(*start);
    if (file.has_error())
      return refusal(file.error());
    searching.in_file(*start);
  }
  return searching.result();
}

} // namespace

std::shared_ptr<tool> make_search_text(std::shared_ptr<const root> root) {
  return define_tool("search_text",
      "Finds the lines of the workspace's text files that hold a text, case-sensitive, as PATH:LINE: TEXT. "
      "Hidden files and folders are passed over.",
      [root](const call& call, const search_text_arguments& query) { return search(*root, call, query); })
      .argument("text", "The text to find, within one line")
      .argument("path", "A folder or a file to search in; without it the whole workspace")
      .durable()
      .clearable()
      .idempotent()
      .shared();
}

} // namespace troupe::tools
