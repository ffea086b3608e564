// Whether there can be a sandbox here: bubblewrap found, its version asked, one command run in it.
#include "tools/workspace/sandbox.hpp"
#include "tools/workspace/supervised_command.hpp"

#include <algorithm>

#include <fcntl.h>
#include <unistd.h>

namespace troupe::tools {

namespace {

constexpr std::string_view programs[] = {"/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"};
constexpr std::size_t said_bytes_max = 500;
constexpr std::chrono::seconds trial_patience{10};

struct answer {
  command_end end;
  std::string text; ///< its first line
  bool good() const { return end.how == command_end::kind::exited && end.number == 0 && end.began; }
};

answer ask(supervised_command command, const std::string& folder) {
  const descriptor opened(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  command.folder = opened.get();
  command.timeout = trial_patience;
  answer out;
  out.end = run_command(command, nullptr, [&](std::string_view bytes) {
    out.text += bytes.substr(0, said_bytes_max - std::min(said_bytes_max, out.text.size()));
  });
  out.text.resize(std::min(out.text.size(), out.text.find('\n')));
  return out;
}

std::optional<problem> contradiction(
    const std::string& workspace, const sandbox_settings& settings, const hidden_places& hidden) {
  for (const auto& path : settings.readable)
    if (!path.starts_with('/'))
      return problem{problem_code::invalid_input,
          "`" + path + "` in `readable` isn't an absolute path; write it from / on", {}};
  const auto places = hidden.now();
  if (std::find(places.begin(), places.end(), workspace) != places.end())
    return problem{problem_code::invalid_input,
        "the workspace `" + workspace + "` holds Troupe's own data; choose another `root` or `data_dir`", {}};
  return std::nullopt;
}

std::string find_program(const sandbox_settings& settings) {
  const auto runs = [](const std::string& path) { return ::access(path.c_str(), X_OK) == 0; };
  if (!settings.program.empty())
    return runs(settings.program) ? settings.program : "";
  const auto* const found = std::find_if(std::begin(programs), std::end(programs),
      [&](std::string_view path) { return runs(std::string(path)); });
  return found == std::end(programs) ? "" : std::string(*found);
}

sandbox_trial examine(const std::string& workspace, const sandbox_settings& settings,
    std::shared_ptr<const hidden_places> hidden, const std::vector<std::string>& environment) {
  const std::string program = find_program(settings);
  if (program.empty())
    return {nullptr, "bubblewrap isn't there; install it: apt-get install bubblewrap"};
  supervised_command asking;
  asking.words = {program, "--version"};
  const std::string version = ask(asking, "/").text;
  const std::string name = version.starts_with("bubblewrap ") ? version : "bubblewrap";
  auto made = std::make_shared<const sandbox>(program, workspace, settings, std::move(hidden), environment);
  asking.words = made->words("true");
  asking.environment = environment;
  asking.sandboxed = true;
  const answer tried = ask(asking, workspace);
  if (tried.good())
    return {made, name + " works"};
  return {nullptr,
      name + " is there but doesn't work here (" + (tried.text.empty() ? "no answer" : tried.text)
          + "); it needs user namespaces: as root, sysctl -w kernel.unprivileged_userns_clone=1, or in a "
            "container run it with --security-opt seccomp=unconfined"};
}

} // namespace

result<sandbox_trial> try_sandbox(const std::string& workspace, const sandbox_settings& settings,
    std::shared_ptr<const hidden_places> hidden, const std::vector<std::string>& environment) {
  if (settings.mode == sandbox_mode::none)
    return sandbox_trial{nullptr, "none is wanted"};
  if (const auto wrong = contradiction(workspace, settings, *hidden))
    return *wrong;
  auto found = examine(workspace, settings, std::move(hidden), environment);
  if (!found.works && settings.mode == sandbox_mode::required)
    return problem{problem_code::unsupported,
        "tools.workspace.sandbox is required, but " + found.words + "; or set it to \"auto\" or \"none\"",
        {}};
  return found;
}

} // namespace troupe::tools
