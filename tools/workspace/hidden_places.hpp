// Files and folders that no tool of the workspace may see, wherever they lie: keys, configuration, our data.
#pragma once

#include "tools/workspace/descriptor.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe::tools {

/// Held open, so that one that is moved to another name is still found.
class hidden_places {
 public:
  explicit hidden_places(const std::vector<std::string>& paths);

  /// Where they are now: absolute, without symbolic links, only what exists.
  std::vector<std::string> now() const;

  /// Whether what is open is one of them, lies in one, or is one by another name.
  bool cover(int open) const;
  /// The same of a name in an open folder, which may not exist.
  bool cover(int folder, std::string_view name) const;

 private:
  bool cover_path(const std::string& path) const;

  std::vector<std::string> paths_;
  std::vector<descriptor> held_;
};

/// The path of what is open; empty if it has none any more.
std::string path_of_open(int open);

} // namespace troupe::tools
