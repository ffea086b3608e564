// The words for bubblewrap: what is mounted where, parents before what lies in them.
#include "tools/workspace/sandbox.hpp"

#include "tools/workspace/supervised_command.hpp"

#include <filesystem>
#include <map>

namespace troupe::tools {

namespace {

namespace fs = std::filesystem;

/// What programs need of the system. Home folders, /var, /run and /srv aren't there.
constexpr std::string_view system_folders[] = {
    "/usr", "/etc", "/opt", "/nix", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"};

/// Of the system's, what no command has to read, even if the user who runs us may.
constexpr std::string_view system_secrets[] = {
    "/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/ssl/private", "/etc/krb5.keytab"};

constexpr std::string_view scratch_bytes_max = "1073741824"; ///< of a private folder in memory

/// Runs the command line, and notes on the standard input that it begins and whether it left
/// something running. It is process 1 in there, which no signal from within can end. What this shell
/// itself has to say, as `Terminated`, isn't the command's: its own error output leads nowhere.
constexpr const char* inner_script = R"(echo b >&0
exec 3>&2 2>/dev/null
(exec /bin/sh -c "$1" </dev/null 2>&3 3>&-)
status=$?
set -- /proc/[0-9]*
[ $# -gt 1 ] && echo l >&0
exit $status)";
static_assert(note_began == 'b' && note_left_running == 'l');

/// What is to be seen at each path. Sorted, so that a folder is there before what lies in it.
class mounts {
 public:
  void add(const std::string& path, std::vector<std::string> words) { by_path_[path] = std::move(words); }
  void read_only(const std::string& path) { add(path, {"--ro-bind-try", path, path}); }
  void writable(const std::string& path) { add(path, {"--bind", path, path}); }
  void empty(const std::string& path) {
    add(path, {"--size", std::string(scratch_bytes_max), "--tmpfs", path});
  }
  void system(const std::string& path) {
    std::error_code error;
    if (const auto target = fs::read_symlink(path, error); !error)
      add(path, {"--symlink", target.string(), path});
    else
      read_only(path);
  }
  /// Only what is there: a place for it can't be made in what is read-only.
  void hide(const std::string& path) {
    std::error_code error;
    if (fs::is_directory(path, error))
      add(path, {"--perms", "0500", "--size", "4096", "--tmpfs", path});
    else if (fs::exists(path, error))
      add(path, {"--ro-bind", "/dev/null", path});
  }
  void append_to(std::vector<std::string>& words) const {
    for (const auto& [path, each] : by_path_)
      words.insert(words.end(), each.begin(), each.end());
  }

 private:
  std::map<std::string, std::vector<std::string>> by_path_;
};

std::string home_in(const std::vector<std::string>& environment) {
  for (const auto& variable : environment)
    if (variable.starts_with("HOME=/") && variable.size() > 6)
      return fs::path(variable.substr(5)).lexically_normal().string();
  return {};
}

bool lies_in(const std::string& path, const std::string& folder) {
  return path == folder || folder == "/" || path.starts_with(folder + "/");
}

} // namespace

sandbox::sandbox(std::string program, std::string workspace, const sandbox_settings& settings,
    std::shared_ptr<const hidden_places> hidden, const std::vector<std::string>& environment)
    : program_(std::move(program)), workspace_(std::move(workspace)), home_(home_in(environment)),
      network_(settings.network), readable_(settings.readable), hidden_(std::move(hidden)) {}

std::vector<std::string> sandbox::words(const std::string& command) const {
  std::vector<std::string> out = {program_, "--die-with-parent", "--new-session", "--as-pid-1",
      "--unshare-user-try", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
      "--cap-drop", "ALL", "--unsetenv", "TMPDIR", "--hostname", "sandbox"};
  if (!network_)
    out.emplace_back("--unshare-net");
  mounts all;
  for (const auto folder : system_folders)
    all.system(std::string(folder));
  std::error_code error;
  if (const auto names = fs::canonical("/etc/resolv.conf", error); network_ && !error)
    all.read_only(names.string()); // often a link to where nothing else is to be seen
  // as root without any capability one may still write /proc/sys, and with that run programs outside
  all.add("/proc", {"--proc", "/proc", "--remount-ro", "/proc"});
  all.add("/dev", {"--dev", "/dev"});
  for (const auto* const scratch : {"/tmp", "/var/tmp", "/run"})
    all.empty(scratch);
  if (!home_.empty() && !lies_in(home_, workspace_))
    all.empty(home_);
  for (const auto& path : readable_)
    all.read_only(path);
  all.writable(workspace_);
  for (const auto secret : system_secrets)
    all.hide(std::string(secret));
  for (const auto& path : hidden_->now())
    all.hide(path);
  all.append_to(out);
  out.insert(out.end(),
      {"--remount-ro", "/", "--chdir", workspace_, "--", "/bin/sh", "-c", inner_script, "sh", command});
  return out;
}

} // namespace troupe::tools
