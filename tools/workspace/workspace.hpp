// The toolset `workspace`: files and a shell in one folder.
#pragma once

#include "tools/tool_box.hpp"
#include "tools/workspace/root.hpp"
#include "tools/workspace/sandbox.hpp"

namespace troupe::tools {

struct workspace_settings {
  std::string root = ".";
  /// The variables that a command sees, as `NAME=value`; `clean_environment` makes them.
  std::vector<std::string> environment;
  std::int64_t shell_timeout_ms = 120'000; ///< where the call asks for none
  std::int64_t shell_grace_ms = 2'000;     ///< between the request to end and the end
  sandbox_settings sandbox;
};

/// Of the variables of a process those that a command needs; none that may be a secret.
/// `PATH` is set where it is missing.
std::vector<std::string> clean_environment(const char* const* variables);

/// Registers `read_file`, `write_file`, `edit_file`, `list_dir`, `search_text` and `shell`.
/// Gives what was found of a sandbox. Errors: of the root, of the sandbox, or a name that is taken.
result<sandbox_trial> add_workspace(tool_box& box, const workspace_settings& settings);

/// Only looks: what `add_workspace` would find.
result<sandbox_trial> examine_workspace(const workspace_settings& settings);

std::shared_ptr<tool> make_read_file(std::shared_ptr<const root> root);
std::shared_ptr<tool> make_write_file(std::shared_ptr<root> root);
std::shared_ptr<tool> make_edit_file(std::shared_ptr<root> root);
std::shared_ptr<tool> make_list_dir(std::shared_ptr<const root> root);
std::shared_ptr<tool> make_search_text(std::shared_ptr<const root> root);
std::shared_ptr<tool> make_shell(std::shared_ptr<const root> root, const workspace_settings& settings,
    std::shared_ptr<const sandbox> sandbox);

} // namespace troupe::tools
