// The folder that the workspace tools are confined to. Every path is opened beneath it in one step,
// so that nothing that changes in between leads outside.
#pragma once

#include "messages/result.hpp"
#include "tools/workspace/descriptor.hpp"
#include "tools/workspace/hidden_places.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace troupe::tools {

/// A folder of the workspace and the name of something in it, which may not exist.
struct spot {
  descriptor folder;
  std::string name;
};

class root {
 public:
  /// How paths are resolved: by `openat2` (Linux 5.6), which follows symbolic links that stay
  /// inside; or name by name, where no symbolic link is followed at all.
  enum class resolution { by_kernel, by_name };

  /// Errors: `not_found`, `invalid_input` for what is no folder.
  static result<std::shared_ptr<root>> open(const std::string& folder);
  static result<std::shared_ptr<root>> open(const std::string& folder, resolution how);

  /// The path as it is meant beneath the root. Relative paths and absolute ones that lie inside are
  /// taken. Errors: `invalid_input` that says what is wrong with it.
  result<std::string> inside(std::string_view path) const;

  /// Opens a regular file for reading. Pipes, devices, sockets and folders are refused.
  result<descriptor> open_file(std::string_view path) const;
  result<descriptor> open_folder(std::string_view path) const;

  /// Where a file is to be put: a symbolic link is followed to the place that it names. With
  /// `make_folders` the folders on the way are made.
  result<spot> place_for(std::string_view path, bool make_folders) const;

  /// From now on what lies there is refused as if it were outside. Called before any tool runs.
  void hide(std::shared_ptr<const hidden_places> places) { hidden_ = std::move(places); }

  int folder() const { return folder_.get(); }
  const std::string& path() const { return path_; }
  /// Held while a file is read, changed and written again.
  std::mutex& editing() { return editing_; }

 private:
  descriptor open_beneath(const std::string& path, int flags) const;
  descriptor open_by_name(const std::string& path, int flags) const;
  result<descriptor> folder_for(const std::string& path, bool make_folders) const;

  descriptor folder_;
  std::string path_;  ///< as the system writes it, without symbolic links
  std::string given_; ///< as it was given, where that is an absolute path
  resolution how_ = resolution::by_kernel;
  std::shared_ptr<const hidden_places> hidden_ = std::make_shared<hidden_places>(std::vector<std::string>{});
  std::mutex editing_;
};

/// What went wrong with a path of the workspace, by `errno`.
problem path_problem(std::string_view path, int error);

} // namespace troupe::tools
