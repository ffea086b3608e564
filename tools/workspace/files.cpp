// Whole files in and out, with `rename` as the only moment of change.
#include "tools/workspace/files.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>

namespace troupe::tools {

namespace {

file_state state_of(const struct stat& status) {
  return {status.st_ino, status.st_size,
      static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec};
}

std::string temporary_name(std::string_view name) {
  std::string out = ".troupe-";
  for (const char c : name.substr(0, 80))
    out += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ? c : '_';
  return out;
}

/// Writes all of it and brings it to the disk; `errno` tells why not.
bool write_through(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return ::fsync(file) == 0;
}

} // namespace

result<file_text> read_whole(const root& root, std::string_view path, std::size_t bytes_max) {
  auto file = root.open_file(path);
  if (file.has_error())
    return file.error();
  struct stat status {};
  if (::fstat(file->get(), &status) != 0)
    return path_problem(path, errno);
  file_text out{{}, state_of(status)};
  char buffer[65536];
  while (true) {
    const ssize_t got = ::read(file->get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return path_problem(path, errno);
    if (got == 0)
      return out;
    out.text.append(buffer, static_cast<std::size_t>(got));
    if (out.text.size() > bytes_max)
      return problem{problem_code::too_large,
          "\"" + std::string(path) + "\" is longer than " + std::to_string(bytes_max) + " bytes", {}};
  }
}

result<replaced> replace_file(const root& root, std::string_view path, std::string_view text,
    std::string_view name, const std::optional<file_state>& expected) {
  const auto place = root.place_for(path, true);
  if (place.has_error())
    return place.error();
  const int folder = place->folder.get();
  const char* target = place->name.c_str();
  struct stat before {};
  const bool existed = ::fstatat(folder, target, &before, AT_SYMLINK_NOFOLLOW) == 0;
  if (!existed && errno != ENOENT)
    return path_problem(path, errno);
  if (existed && !S_ISREG(before.st_mode))
    return path_problem(path, S_ISDIR(before.st_mode) ? EISDIR : ENXIO);

  const std::string temporary = temporary_name(name);
  ::unlinkat(folder, temporary.c_str(), 0); // of an attempt that was cut off
  const descriptor file(
      ::openat(folder, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!file)
    return path_problem(path, errno);
  const auto give_up = [&](const problem& why) {
    ::unlinkat(folder, temporary.c_str(), 0);
    return why;
  };
  if (existed) {
    if (::fchown(file.get(), before.st_uid, before.st_gid) != 0) {
      // only root may give files away; ours is then owned by who we are
    }
    if (::fchmod(file.get(), before.st_mode & 07777) != 0)
      return give_up(path_problem(path, errno));
  }
  if (!write_through(file.get(), text))
    return give_up(path_problem(path, errno));
  struct stat now {};
  if (expected && (::fstatat(folder, target, &now, AT_SYMLINK_NOFOLLOW) != 0 || state_of(now) != *expected))
    return give_up({problem_code::conflict,
        "\"" + std::string(path) + "\" was changed by somebody else meanwhile; read it again", {}});
  if (::renameat(folder, temporary.c_str(), folder, target) != 0)
    return give_up(path_problem(path, errno));
  const descriptor opened(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened)
    ::fsync(opened.get());
  return replaced{existed};
}

output refusal(const problem& why) { return refusal(why.detail + "."); }

output refusal(std::string why, error_kind kind) {
  output out;
  out.content = content(std::move(why));
  out.is_error = true;
  out.error_kind = kind;
  return out;
}

} // namespace troupe::tools
