// The tool `list_dir`: what a folder of the workspace holds.
#include "messages/text.hpp"
#include "tools/described.hpp"
#include "tools/workspace/files.hpp"
#include "tools/workspace/workspace.hpp"

#include <algorithm>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

namespace troupe::tools {

struct list_dir_arguments {
  std::optional<std::string> path;
};
BOOST_DESCRIBE_STRUCT(list_dir_arguments, (), (path))

namespace {

constexpr std::size_t entries_max = 2'000;

std::string line_of(int folder, const char* name) {
  struct stat status {};
  std::string line = to_utf8(name);
  if (::fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
    return line;
  if (S_ISDIR(status.st_mode))
    return line + "/";
  if (S_ISLNK(status.st_mode))
    return line + " (symbolic link)";
  if (!S_ISREG(status.st_mode))
    return line + " (not a regular file)";
  return line + " (" + std::to_string(status.st_size) + " bytes)";
}

output list(const root& root, const list_dir_arguments& query) {
  auto opened = root.open_folder(query.path.value_or("."));
  if (opened.has_error())
    return refusal(opened.error());
  std::unique_ptr<DIR, int (*)(DIR*)> folder(
      ::fdopendir(::fcntl(opened->get(), F_DUPFD_CLOEXEC, 3)), ::closedir);
  if (!folder)
    return refusal("The folder can't be read.");
  std::vector<std::string> lines;
  std::size_t left_out = 0;
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..")
      continue;
    if (lines.size() < entries_max)
      lines.push_back(line_of(opened->get(), entry->d_name));
    else
      ++left_out;
  }
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines)
    text += line + "\n";
  if (left_out > 0)
    text += "[" + std::to_string(left_out) + " more; use shell to see them]\n";
  output out;
  out.content = content(text.empty() ? "[the folder is empty]" : std::move(text));
  return out;
}

} // namespace

std::shared_ptr<tool> make_list_dir(std::shared_ptr<const root> root) {
  return define_tool("list_dir", "Lists a folder of the workspace: folders end in /, files show their size.",
      [root](const list_dir_arguments& query) { return list(*root, query); })
      .argument("path", "The folder, relative to the workspace; without it the workspace itself")
      .durable()
      .idempotent()
      .shared();
}

} // namespace troupe::tools
