// Putting the workspace's tools into the tool box, and what a command may know of our environment.
#include "tools/workspace/workspace.hpp"

#include <algorithm>

namespace troupe::tools {

namespace {

constexpr std::string_view passed_on[] = {
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TERM", "TMPDIR"};

} // namespace

std::vector<std::string> clean_environment(const char* const* variables) {
  std::vector<std::string> out;
  bool has_path = false;
  for (; variables != nullptr && *variables != nullptr; ++variables) {
    const std::string_view variable = *variables;
    const std::string_view name = variable.substr(0, variable.find('='));
    if (name.starts_with("LC_")
        || std::find(std::begin(passed_on), std::end(passed_on), name) != std::end(passed_on))
      out.emplace_back(variable);
    has_path = has_path || name == "PATH";
  }
  if (!has_path)
    out.emplace_back("PATH=/usr/local/bin:/usr/bin:/bin");
  return out;
}

namespace {

struct opened_workspace {
  std::shared_ptr<root> folder;
  sandbox_trial sandbox;
};

result<opened_workspace> open_workspace(const workspace_settings& settings) {
  auto opened = root::open(settings.root);
  if (opened.has_error())
    return opened.error();
  const auto hidden = std::make_shared<const hidden_places>(settings.sandbox.hidden);
  (*opened)->hide(hidden);
  auto found = try_sandbox((*opened)->path(), settings.sandbox, hidden, settings.environment);
  if (found.has_error())
    return found.error();
  return opened_workspace{*opened, *found};
}

} // namespace

result<sandbox_trial> examine_workspace(const workspace_settings& settings) {
  const auto opened = open_workspace(settings);
  if (opened.has_error())
    return opened.error();
  return opened->sandbox;
}

result<sandbox_trial> add_workspace(tool_box& box, const workspace_settings& settings) {
  workspace_settings own = settings;
  if (own.environment.empty())
    own.environment = clean_environment(nullptr);
  const auto opened = open_workspace(own);
  if (opened.has_error())
    return opened.error();
  const auto& root = opened->folder;
  for (auto& tool : {make_read_file(root), make_write_file(root), make_edit_file(root), make_list_dir(root),
           make_search_text(root), make_shell(root, own, opened->sandbox.works)})
    if (auto added = box.add(tool, "workspace"); added.has_error())
      return added.error();
  return opened->sandbox;
}

} // namespace troupe::tools
