// The tool `edit_file`: one passage of a file for another, named by its text.
#include "tools/described.hpp"
#include "tools/workspace/edit.hpp"
#include "tools/workspace/files.hpp"
#include "tools/workspace/workspace.hpp"

namespace troupe::tools {

struct edit_file_arguments {
  std::string path;
  std::string old_text;
  std::string new_text;
  std::optional<bool> replace_all;
};
BOOST_DESCRIBE_STRUCT(edit_file_arguments, (), (path, old_text, new_text, replace_all))

namespace {

constexpr std::size_t file_bytes_max = 16 * 1024 * 1024;

output edit(root& root, const call& call, const edit_file_arguments& query) {
  const std::lock_guard lock(root.editing());
  const auto before = read_whole(root, query.path, file_bytes_max);
  if (before.has_error())
    return refusal(before.error());
  const auto edited =
      replace_passage(before->text, query.old_text, query.new_text, query.replace_all.value_or(false));
  if (!edited.why_not.empty())
    return refusal(edited.why_not + " \"" + query.path + "\" is unchanged.");
  const auto written = replace_file(root, query.path, edited.text, call.execution_id, before->state);
  if (written.has_error())
    return refusal(written.error());
  output out;
  out.content = content("Replaced " + std::to_string(edited.count)
      + (edited.count == 1 ? " passage in " : " passages in ") + query.path
      + (edited.count == 1 ? ", at line " + std::to_string(edited.first_line) + "."
                           : ", the first at line " + std::to_string(edited.first_line) + "."));
  return out;
}

} // namespace

std::shared_ptr<tool> make_edit_file(std::shared_ptr<root> root) {
  return define_tool("edit_file",
      "Replaces a passage of a file of the workspace. The passage must occur exactly once, unless "
      "replace_all is true.",
      [root](const call& call, const edit_file_arguments& query) { return edit(*root, call, query); })
      .argument("path", "The file, relative to the workspace")
      .argument("old_text",
          "The passage to replace, exactly as it stands in the file, with enough around it to be the only "
          "one")
      .argument("new_text", "What takes its place")
      .argument("replace_all", "Replace every occurrence")
      .on_interrupted(interrupted_policy::ask);
}

} // namespace troupe::tools
