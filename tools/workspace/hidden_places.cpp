// Paths by what is open: the kernel keeps them true when something is moved.
#include "tools/workspace/hidden_places.hpp"

#include <algorithm>
#include <climits>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>

namespace troupe::tools {

namespace {

/// The path without links, also of what isn't there yet.
std::string without_links(const std::string& path) {
  std::error_code error;
  const auto out = std::filesystem::weakly_canonical(path, error);
  std::string text = error ? path : out.string();
  while (text.size() > 1 && text.ends_with('/'))
    text.pop_back();
  return text;
}

bool is_in(const std::string& path, const std::string& place) {
  return path == place || (path.starts_with(place) && (place == "/" || path[place.size()] == '/'));
}

} // namespace

std::string path_of_open(int open) {
  struct stat status {};
  if (::fstat(open, &status) != 0 || status.st_nlink == 0)
    return {};
  char path[PATH_MAX + 1];
  const ssize_t length = ::readlink(("/proc/self/fd/" + std::to_string(open)).c_str(), path, sizeof path);
  return length <= 0 ? std::string() : std::string(path, static_cast<std::size_t>(length));
}

hidden_places::hidden_places(const std::vector<std::string>& paths) {
  for (const auto& path : paths) {
    if (path.empty())
      continue;
    paths_.push_back(without_links(std::filesystem::absolute(path).string()));
    held_.emplace_back(::open(paths_.back().c_str(), O_PATH | O_CLOEXEC));
  }
}

std::vector<std::string> hidden_places::now() const {
  std::vector<std::string> out;
  for (const auto& path : paths_) // also where it was, for what was put there since
    if (std::error_code error; std::filesystem::exists(path, error))
      out.push_back(without_links(path));
  for (const auto& one : held_)
    if (const std::string path = one ? path_of_open(one.get()) : std::string(); !path.empty())
      out.push_back(path);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

bool hidden_places::cover_path(const std::string& path) const {
  const auto places = now();
  const auto in = [&](const std::string& place) { return is_in(path, place); };
  return std::any_of(places.begin(), places.end(), in) || std::any_of(paths_.begin(), paths_.end(), in);
}

bool hidden_places::cover(int open) const {
  if (paths_.empty())
    return false;
  struct stat status {};
  if (::fstat(open, &status) != 0)
    return false;
  for (const auto& place : now()) {
    struct stat hidden {};
    if (::stat(place.c_str(), &hidden) == 0 && hidden.st_dev == status.st_dev
        && hidden.st_ino == status.st_ino)
      return true;
  }
  return cover_path(path_of_open(open));
}

bool hidden_places::cover(int folder, std::string_view name) const {
  if (paths_.empty())
    return false;
  const std::string path = path_of_open(folder);
  return cover_path((path == "/" ? "" : path) + "/" + std::string(name));
}

} // namespace troupe::tools
