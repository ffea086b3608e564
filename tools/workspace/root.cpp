// Opening beneath the root, by the kernel or name by name.
#include "tools/workspace/root.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

namespace troupe::tools {

namespace {

constexpr std::size_t path_bytes_max = 4096;
constexpr int links_max = 8;

int openat2_beneath(int folder, const char* path, int flags) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  for (int attempt = 0; attempt < 16; ++attempt) {
    const long opened = ::syscall(SYS_openat2, folder, path, &how, sizeof how);
    if (opened >= 0 || errno != EAGAIN) // EAGAIN: something was renamed on the way, and `..` was in the path
      return static_cast<int>(opened);
  }
  return -1;
}

std::pair<std::string, std::string> split(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::pair{std::string("."), path}
                                    : std::pair{path.substr(0, slash), path.substr(slash + 1)};
}

problem refused(std::string_view path, std::string_view why) {
  return {
      problem_code::invalid_input, "\"" + std::string(path.substr(0, 200)) + "\" " + std::string(why), {}};
}

problem hidden(std::string_view path) {
  return refused(path, "belongs to Troupe itself: the tools of the workspace may not use it");
}

} // namespace

problem path_problem(std::string_view path, int error) {
  switch (error) {
  case ENOENT:
    return {problem_code::not_found, "\"" + std::string(path.substr(0, 200)) + "\" doesn't exist", {}};
  case EXDEV:
    return refused(path, "leads out of the workspace");
  case ELOOP:
    return refused(path, "goes through a symbolic link that isn't followed");
  case ENOTDIR:
    return refused(path, "goes through something that isn't a folder");
  case EISDIR:
    return refused(path, "is a folder");
  case ENAMETOOLONG:
    return refused(path, "is too long for a path");
  case EACCES:
  case EPERM:
    return refused(path, "may not be accessed (permission denied)");
  case EROFS:
    return refused(path, "lies on a read-only file system");
  case ENXIO:
    return refused(path, "is not a regular file");
  default:
    return {
        problem_code::internal, "\"" + std::string(path.substr(0, 200)) + "\": " + std::strerror(error), {}};
  }
}

result<std::shared_ptr<root>> root::open(const std::string& folder) {
  auto made = open(folder, resolution::by_kernel);
  if (made.has_value() && openat2_beneath((*made)->folder(), ".", O_PATH | O_DIRECTORY) < 0
      && (errno == ENOSYS || errno == EPERM))
    return open(folder, resolution::by_name);
  return made;
}

result<std::shared_ptr<root>> root::open(const std::string& folder, resolution how) {
  std::error_code error;
  const auto real = std::filesystem::canonical(folder, error);
  if (error)
    return problem{
        problem_code::not_found, "the workspace \"" + folder + "\" can't be used: " + error.message(), {}};
  descriptor opened(::open(real.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!opened)
    return problem{problem_code::invalid_input,
        "the workspace \"" + folder + "\" can't be used: " + std::strerror(errno), {}};
  auto made = std::make_shared<root>();
  made->folder_ = std::move(opened);
  made->path_ = real.string();
  made->given_ = std::filesystem::path(folder).is_absolute()
      ? std::filesystem::path(folder).lexically_normal().string()
      : made->path_;
  while (made->given_.size() > 1 && made->given_.ends_with('/'))
    made->given_.pop_back();
  made->how_ = how;
  return made;
}

result<std::string> root::inside(std::string_view path) const {
  if (path.empty())
    return problem{problem_code::invalid_input, "the path is empty", {}};
  if (path.find('\0') != std::string_view::npos)
    return problem{problem_code::invalid_input, "the path holds a NUL character", {}};
  if (path.size() > path_bytes_max)
    return refused(path, "is too long for a path (4096 bytes at most)");
  if (path.front() != '/')
    return std::string(path);
  for (const std::string& own : {path_, given_}) {
    if (path == own || path == own + "/")
      return std::string(".");
    const std::string prefix = own == "/" ? own : own + "/";
    if (path.starts_with(prefix)) {
      std::string_view rest = path.substr(prefix.size());
      while (rest.starts_with('/'))
        rest.remove_prefix(1);
      return std::string(rest.empty() ? "." : rest);
    }
  }
  return refused(path, "lies outside of the workspace; give a path relative to it");
}

descriptor root::open_beneath(const std::string& path, int flags) const {
  if (how_ == resolution::by_name)
    return open_by_name(path, flags);
  return descriptor(openat2_beneath(folder(), path.c_str(), flags));
}

/// Keeps every folder on the way open, so that `..` is a step back on our own path, not the disk's.
descriptor root::open_by_name(const std::string& path, int flags) const {
  std::vector<descriptor> way;
  const auto here = [&] { return way.empty() ? folder() : way.back().get(); };
  std::vector<std::string> names;
  for (const auto& part : std::filesystem::path(path))
    if (const std::string name = part.string(); !name.empty() && name != ".")
      names.push_back(name);
  if (!names.empty() && names.back() == "..")
    names.push_back("."); // so that the last name is never `..`
  for (std::size_t i = 0; i + 1 < names.size(); ++i) {
    if (names[i] == "..") {
      if (way.empty())
        return errno = EXDEV, descriptor();
      way.pop_back();
      continue;
    }
    descriptor next(::openat(here(), names[i].c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!next)
      return {};
    way.push_back(std::move(next));
  }
  const std::string last = names.empty() ? "." : names.back();
  return descriptor(::openat(here(), last.c_str(), flags | O_NOFOLLOW | O_CLOEXEC));
}

result<descriptor> root::open_file(std::string_view path) const {
  const auto name = inside(path);
  if (name.has_error())
    return name.error();
  // without O_NONBLOCK a pipe would hold us until somebody writes
  descriptor opened = open_beneath(*name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  struct stat status {};
  if (!opened || ::fstat(opened.get(), &status) != 0)
    return path_problem(path, errno);
  if (S_ISDIR(status.st_mode))
    return path_problem(path, EISDIR);
  if (!S_ISREG(status.st_mode))
    return path_problem(path, ENXIO);
  if (hidden_->cover(opened.get()))
    return hidden(path);
  return opened;
}

result<descriptor> root::open_folder(std::string_view path) const {
  const auto name = inside(path);
  if (name.has_error())
    return name.error();
  descriptor opened = open_beneath(*name, O_RDONLY | O_DIRECTORY);
  if (!opened)
    return path_problem(path, errno);
  if (hidden_->cover(opened.get()))
    return hidden(path);
  return opened;
}

result<descriptor> root::folder_for(const std::string& path, bool make_folders) const {
  descriptor opened = open_beneath(path, O_PATH | O_DIRECTORY);
  if (opened)
    return opened;
  if (errno != ENOENT || !make_folders)
    return path_problem(path, errno);
  const auto [above, name] = split(path);
  auto parent = folder_for(above, true);
  if (parent.has_error())
    return parent;
  if (::mkdirat(parent->get(), name.c_str(), 0777) != 0 && errno != EEXIST)
    return path_problem(path, errno);
  opened = open_beneath(path, O_PATH | O_DIRECTORY);
  if (!opened)
    return path_problem(path, errno);
  return opened;
}

result<spot> root::place_for(std::string_view path, bool make_folders) const {
  auto name = inside(path);
  if (name.has_error())
    return name.error();
  std::string at = *name;
  for (int links = 0; links <= links_max; ++links) {
    auto [above, last] = split(at);
    if (last.empty() || last == "." || last == "..")
      return path_problem(path, EISDIR);
    auto folder = folder_for(above, make_folders);
    if (folder.has_error())
      return folder.error();
    if (hidden_->cover(folder->get(), last))
      return hidden(path);
    std::string target(path_bytes_max, '\0');
    const ssize_t length = ::readlinkat(folder->get(), last.c_str(), target.data(), target.size());
    if (length < 0)
      return spot{std::move(*folder), std::move(last)};
    target.resize(static_cast<std::size_t>(length));
    if (how_ == resolution::by_name)
      return path_problem(path, ELOOP);
    if (target.starts_with('/'))
      return path_problem(path, EXDEV);
    at = above + "/" + target;
  }
  return path_problem(path, ELOOP);
}

} // namespace troupe::tools
