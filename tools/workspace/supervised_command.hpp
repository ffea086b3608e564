// One shell command, from start to end: its output as it comes, its bounds, and how it ended.
#pragma once

#include "tools/tool.hpp"

#include <chrono>

namespace troupe::tools {

struct shell_command {
  std::string text;                     ///< for `/bin/sh -c`
  std::vector<std::string> environment; ///< `NAME=value`
  int folder = -1;                      ///< where it runs
  std::chrono::milliseconds timeout{120'000};
  std::chrono::milliseconds grace{2'000};
};

struct command_end {
  enum class kind { exited, killed, timed_out, stopped, lost };
  kind how = kind::lost;
  int number = 0; ///< the exit status, or the signal
  bool left_running = false;
  std::string trouble; ///< with `lost`: why there is no answer
};

/// Runs the command and waits for its end. Standard output and error come to `sink` in the order in
/// which they were written. When this returns, no process that the command started is left.
command_end run_command(
    const shell_command& command, stop_source* stop, const std::function<void(std::string_view)>& sink);

} // namespace troupe::tools
