// The tool `list_dir`: what a folder of the workspace holds.
#include "tools/described.hpp"
#include "tools/kept_result.hpp"
#include "tools/workspace/files.hpp"
#include "tools/workspace/folder.hpp"
#include "tools/workspace/workspace.hpp"

#include <fcntl.h>
#include <sys/stat.h>

namespace troupe::tools {

struct list_dir_arguments {
  std::optional<std::string> path;
};
BOOST_DESCRIBE_STRUCT(list_dir_arguments, (), (path))

namespace {

constexpr std::size_t entries_max = 2'000;

std::string line_of(int folder, const std::string& name) {
  struct stat status {};
  std::string line = shown_name(name);
  if (::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    return line;
  if (S_ISDIR(status.st_mode))
    return line + "/";
  if (S_ISLNK(status.st_mode))
    return line + " (symbolic link)";
  if (!S_ISREG(status.st_mode))
    return line + " (not a regular file)";
  return line + " (" + std::to_string(status.st_size) + " bytes)";
}

output list(const root& root, const call& call, const list_dir_arguments& query) {
  const auto opened = root.open_folder(query.path.value_or("."));
  if (opened.has_error())
    return refusal(opened.error());
  const auto found = read_folder(opened->get(), call, entries_max);
  if (found.has_error())
    return refusal(found.error());
  output out;
  out.aborted = call.cancelled();
  std::string text;
  std::size_t left_out = found->left_out;
  for (const std::string& name : found->names) {
    const std::string line = line_of(opened->get(), name) + "\n";
    if (left_out > found->left_out || text.size() + line.size() > output_text_bytes_max)
      ++left_out;
    else
      text += line;
  }
  if (left_out > 0)
    text += "[" + std::to_string(left_out) + " more; list a folder within, or use shell to see them]\n";
  out.content = content(text.empty() ? "[the folder is empty]" : std::move(text));
  return out;
}

} // namespace

std::shared_ptr<tool> make_list_dir(std::shared_ptr<const root> root) {
  return define_tool("list_dir", "Lists a folder of the workspace: folders end in /, files show their size.",
      [root](const call& call, const list_dir_arguments& query) { return list(*root, call, query); })
      .argument("path", "The folder, relative to the workspace; without it the workspace itself")
      .durable()
      .clearable()
      .idempotent()
      .shared();
}

} // namespace troupe::tools
