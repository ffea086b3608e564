// Processes that tests watch: a server's postmaster, and children that use a cluster.
#pragma once

#include <filesystem>
#include <functional>

#include <sys/types.h>

namespace troupe::persistence {

/// The postmaster of the cluster at `place`, or 0.
pid_t postmaster_of(const std::filesystem::path& place);

/// Waits until the process has ended, without polling; false after 20 seconds.
bool wait_for_end(pid_t pid);

/// A child process that runs `enter`, says that it is there, and stays until it is told to end.
class child_process {
 public:
  explicit child_process(const std::function<bool()>& enter);
  ~child_process();
  child_process(const child_process&) = delete;
  child_process& operator=(const child_process&) = delete;
  /// Waits until `enter` is done; its answer.
  bool is_in();
  pid_t pid() const { return pid_; }
  bool end();  ///< lets it exit; true if it did so by itself
  void kill(); ///< SIGKILL

 private:
  bool reap();
  pid_t pid_ = 0;
  int told_ = -1; ///< from the child
  int tell_ = -1; ///< to the child
};

} // namespace troupe::persistence
