// Finds and makes the directories; trusts nothing in /tmp that isn't its own.
#include "persistence/cluster_place.hpp"

#include "messages/digest.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace troupe::persistence {

namespace fs = std::filesystem;

namespace {

constexpr int oldest_major = 15;            // views that keep to the policies of whoever asks
constexpr std::size_t socket_path_max = 99; // sun_path has 108, some systems less

problem unusable(const std::string& what) { return {problem_code::unavailable, what, {}}; }

std::optional<server_user> user_named(const char* name) {
  const auto* const entry = ::getpwnam(name);
  if (!entry)
    return std::nullopt;
  return server_user{entry->pw_name, entry->pw_uid, entry->pw_gid, true};
}

std::string name_of_user(uid_t uid) {
  const auto* const entry = ::getpwuid(uid);
  return entry ? entry->pw_name : std::to_string(uid);
}

result<server_user> choose_user() {
  if (::geteuid() != 0)
    return server_user{name_of_user(::geteuid()), ::geteuid(), ::getegid(), false};
  for (const char* name : {"postgres", "nobody"})
    if (auto user = user_named(name))
      return *user;
  return unusable("started as root, but there is no user `postgres` or `nobody` to run PostgreSQL as");
}

/// Whether `user` may pass through every directory above `path`.
bool can_reach(const server_user& user, const fs::path& path) {
  for (fs::path at = path; at != at.root_path(); at = at.parent_path()) {
    struct stat info {};
    if (::stat(at.c_str(), &info) != 0)
      continue; // will be made by us
    const mode_t needed = info.st_uid == user.uid ? S_IXUSR : info.st_gid == user.gid ? S_IXGRP : S_IXOTH;
    if ((info.st_mode & needed) == 0)
      return false;
  }
  return true;
}

/// A directory that belongs to the server's user and is closed to others; made if it isn't there.
result<void> own_directory(const fs::path& path, const server_user& user) {
  if (::mkdir(path.c_str(), 0700) == 0) {
    if (user.is_another && ::chown(path.c_str(), user.uid, user.gid) != 0)
      return unusable(
          "`" + path.string() + "` can't be given to user `" + user.name + "`: " + std::strerror(errno));
    return {};
  }
  if (errno != EEXIST)
    return unusable("`" + path.string() + "` can't be made: " + std::strerror(errno));
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != user.uid)
    return unusable("`" + path.string() + "` isn't a directory of user `" + user.name
        + "`; remove it, or use another data directory");
  if ((info.st_mode & 077) != 0 && ::chmod(path.c_str(), 0700) != 0)
    return unusable("`" + path.string() + "` is open to other users: " + std::strerror(errno));
  return {};
}

std::string short_name(const fs::path& path) { return hex(sha256_of(path.string())).substr(0, 16); }

result<fs::path> choose_base(const fs::path& data_dir, const server_user& user) {
  std::error_code failed;
  const auto base = data_dir / "postgres";
  if (!fs::exists(data_dir, failed)) {
    fs::create_directories(data_dir, failed);
    // Closed to others, but passable where the server is another user.
    if (!failed)
      fs::permissions(data_dir, static_cast<fs::perms>(user.is_another ? 0711 : 0700), failed);
  }
  if (!failed && !fs::is_directory(data_dir, failed))
    failed = std::make_error_code(std::errc::not_a_directory);
  if (failed)
    return unusable("the data directory `" + data_dir.string() + "` can't be used: " + failed.message());
  if (!user.is_another || can_reach(user, data_dir))
    return base;
  const fs::path ours = "/var/lib/troupe";
  fs::create_directories(ours, failed);
  if (failed)
    return unusable("`" + ours.string() + "` can't be made: " + failed.message());
  const auto elsewhere = ours / short_name(data_dir);
  fs::create_directory_symlink(elsewhere, base, failed); // for people; it may be there already
  return elsewhere;
}

/// The base itself, unless its path is too long for a socket or libpq would take it for two hosts.
result<fs::path> choose_socket(const fs::path& base, const server_user& user) {
  if (base.string().size() + sizeof "/.s.PGSQL.5432" <= socket_path_max
      && base.string().find(',') == std::string::npos)
    return base;
  // the same for every process, whatever its environment: they must meet there
  const auto path = fs::path("/tmp") / ("troupe-" + short_name(base));
  if (auto made = own_directory(path, user); !made)
    return made.error();
  return path;
}

std::optional<int> major_of(const fs::path& file) {
  int major = 0;
  std::ifstream in(file);
  if (!(in >> major))
    return std::nullopt;
  return major;
}

} // namespace

std::vector<std::string> cluster_place::as_server(std::vector<std::string> arguments) const {
  if (!user.is_another)
    return arguments;
  std::vector<std::string> out{"setpriv", "--reuid=" + std::to_string(user.uid),
      "--regid=" + std::to_string(user.gid), "--clear-groups", "--"};
  out.insert(out.end(), arguments.begin(), arguments.end());
  return out;
}

result<cluster_place> prepare_place(const fs::path& data_dir) {
  std::error_code failed;
  const auto absolute = fs::absolute(data_dir, failed).lexically_normal();
  if (failed || data_dir.empty())
    return unusable("`" + data_dir.string() + "` can't be a data directory");
  auto user = choose_user();
  if (!user)
    return user.error();
  auto base = choose_base(absolute, *user);
  if (!base)
    return base.error();
  if (auto made = own_directory(*base, *user); !made)
    return made.error();
  auto socket = choose_socket(*base, *user);
  if (!socket)
    return socket.error();
  return cluster_place{*base, *base / "data", *socket, *user, name_of_user(::geteuid())};
}

result<fs::path> server_programs(const cluster_place& place, const fs::path& root) {
  const auto wanted = major_of(place.data / "PG_VERSION");
  int newest = 0;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(root, failed)) {
    const int major = std::atoi(entry.path().filename().c_str());
    if (fs::exists(entry.path() / "bin" / "postgres", failed)
        && fs::exists(entry.path() / "bin" / "initdb", failed)
        && (wanted ? major == *wanted : major > newest))
      newest = major;
  }
  if (newest >= oldest_major)
    return root / std::to_string(newest) / "bin";
  if (wanted)
    return unusable("the data in `" + place.data.string() + "` is PostgreSQL " + std::to_string(*wanted)
        + "'s, which isn't installed: `apt install postgresql-" + std::to_string(*wanted)
        + "`, or use another data directory");
  return unusable("PostgreSQL isn't installed (looked in " + root.string() + ", "
      + std::to_string(oldest_major)
      + " or newer): `apt install postgresql`, or name a database with --database");
}

} // namespace troupe::persistence
