// The tool `search_text`: the lines of the workspace's text files that hold a text.
#include "messages/text.hpp"
#include "tools/described.hpp"
#include "tools/workspace/files.hpp"
#include "tools/workspace/workspace.hpp"

#include <algorithm>

#include <dirent.h>
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
constexpr std::size_t file_bytes_max = 4 * 1024 * 1024;
constexpr std::size_t shown_bytes_max = 300;
constexpr int depth_max = 32;

class text_search {
 public:
  text_search(const root& root, const call& call, std::string_view wanted)
      : root_(root), call_(call), wanted_(wanted) {}

  void in_folder(const std::string& path, int depth) {
    auto opened = root_.open_folder(path);
    if (opened.has_error() || depth > depth_max)
      return;
    std::unique_ptr<DIR, int (*)(DIR*)> folder(
        ::fdopendir(::fcntl(opened->get(), F_DUPFD_CLOEXEC, 3)), ::closedir);
    std::vector<std::pair<std::string, bool>> entries; // name, and whether it is a folder
    while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr) {
      const std::string name = entry->d_name;
      struct stat status {};
      if (name.starts_with('.') || ::fstatat(opened->get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
        continue;
      if (S_ISDIR(status.st_mode) || S_ISREG(status.st_mode))
        entries.emplace_back(name, S_ISDIR(status.st_mode));
    }
    std::sort(entries.begin(), entries.end());
    for (const auto& [name, is_folder] : entries) {
      if (is_over())
        return;
      const std::string inside = path == "." ? name : path + "/" + name;
      is_folder ? in_folder(inside, depth + 1) : in_file(inside);
    }
  }

  void in_file(const std::string& path) {
    ++files_;
    const auto file = read_whole(root_, path, file_bytes_max);
    if (file.has_error() || file->text.substr(0, 8192).find('\0') != std::string::npos)
      return;
    const std::string_view text = file->text;
    std::size_t line = 1;
    std::size_t counted = 0; // up to here `line` is right
    for (std::size_t at = text.find(wanted_); at != std::string_view::npos && !is_over();) {
      line += static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(counted),
          text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
      const std::size_t begin =
          text.rfind('\n', at) == std::string_view::npos || at == 0 ? 0 : text.rfind('\n', at) + 1;
      const std::size_t end = std::min(text.find('\n', at), text.size());
      found_ += path + ":" + std::to_string(line) + ": "
          + to_utf8(utf8_prefix(text.substr(begin, end - begin), shown_bytes_max)) + "\n";
      ++lines_;
      counted = at;
      at = text.find(wanted_, end);
    }
  }

  bool is_over() const { return lines_ >= lines_max || files_ >= files_max || call_.cancelled(); }

  output result() const {
    output out;
    out.aborted = call_.cancelled();
    std::string text = found_.empty() ? "[nothing found]" : found_;
    if (lines_ >= lines_max)
      text += "[the first " + std::to_string(lines_max) + " lines; search more narrowly for the rest]";
    else if (files_ >= files_max)
      text += "[stopped after " + std::to_string(files_max) + " files; name a path]";
    out.content = content(std::move(text));
    return out;
  }

 private:
  const root& root_;
  const call& call_;
  std::string_view wanted_;
  std::string found_;
  std::size_t lines_ = 0;
  std::size_t files_ = 0;
};

output search(const root& root, const call& call, const search_text_arguments& query) {
  if (query.text.empty())
    return refusal("The text to search for is empty.", error_kind::invalid_input);
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
      .idempotent()
      .shared();
}

} // namespace troupe::tools
