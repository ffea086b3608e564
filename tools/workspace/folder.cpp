// Names are bytes; what is shown of them is text in one line.
#include "tools/workspace/folder.hpp"

#include "messages/json.hpp"
#include "messages/text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <dirent.h>
#include <fcntl.h>

namespace troupe::tools {

namespace {

constexpr std::size_t counted_max = 1'000'000;
constexpr std::size_t kept_max = 100'000; ///< of which the first in order are taken

} // namespace

result<folder_names> read_folder(int opened, const call& call, std::size_t names_max) {
  // a copy shares its place with the original: opened anew, every reading begins at the beginning
  const int copy = ::openat(opened, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(copy < 0 ? nullptr : ::fdopendir(copy), ::closedir);
  if (!folder)
    return problem{
        problem_code::invalid_input, std::string("The folder can't be read: ") + std::strerror(errno), {}};
  folder_names out;
  std::size_t seen = 0;
  while (const dirent* entry = seen < counted_max && !call.cancelled() ? ::readdir(folder.get()) : nullptr) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..")
      continue;
    ++seen;
    if (out.names.size() < kept_max)
      out.names.emplace_back(name);
  }
  std::sort(out.names.begin(), out.names.end());
  out.names.resize(std::min(out.names.size(), names_max));
  out.left_out = seen - out.names.size();
  return out;
}

std::string shown_name(std::string_view name) {
  const bool plain = std::none_of(
      name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  std::string text = to_utf8(name);
  return plain && text == name ? text : json::quote(text);
}

} // namespace troupe::tools
