// The tool `write_file`: a whole file, in one moment.
#include "tools/described.hpp"
#include "tools/workspace/files.hpp"
#include "tools/workspace/workspace.hpp"

#include <algorithm>

namespace troupe::tools {

struct write_file_arguments {
  std::string path;
  std::string content;
};
BOOST_DESCRIBE_STRUCT(write_file_arguments, (), (path, content))

std::shared_ptr<tool> make_write_file(std::shared_ptr<root> root) {
  return define_tool("write_file",
      "Writes a file of the workspace: makes it, with the folders on the way, or replaces what was in it.",
      [root](const call& call, const write_file_arguments& query) {
        const std::lock_guard lock(root->editing());
        const auto written = replace_file(*root, query.path, query.content, call.execution_id);
        if (written.has_error())
          return refusal(written.error());
        const auto lines = std::count(query.content.begin(), query.content.end(), '\n')
            + (query.content.empty() || query.content.ends_with('\n') ? 0 : 1);
        output out;
        out.content =
            content((written->existed ? "Replaced " : "Created ") + query.path + " (" + std::to_string(lines)
                + (lines == 1 ? " line, " : " lines, ") + std::to_string(query.content.size()) + " bytes).");
        return out;
      })
      .argument("path", "The file, relative to the workspace")
      .argument("content", "All that the file shall hold")
      .on_interrupted(interrupted_policy::ask);
}

} // namespace troupe::tools
