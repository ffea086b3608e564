// One command, from start to end: its output as it comes, its bounds, and how it ended.
#pragma once

#include "tools/tool.hpp"

#include <chrono>

namespace troupe::tools {

struct supervised_command {
  std::vector<std::string> words;       ///< the program's path, then its arguments
  std::vector<std::string> environment; ///< `NAME=value`
  int folder = -1;                      ///< where it runs
  std::chrono::milliseconds timeout{120'000};
  std::chrono::milliseconds grace{2'000};
  /// The words are a sandbox's (`sandbox.hpp`): inside it the standard input takes notes.
  bool sandboxed = false;
};

struct command_end {
  enum class kind { exited, killed, timed_out, stopped, lost };
  kind how = kind::lost;
  int number = 0; ///< the exit status, or the signal
  bool left_running = false;
  bool began = true;   ///< false: the sandbox failed before the command began
  std::string trouble; ///< with `lost`: why there is no answer
};

/// The notes of a sandbox: the command begins; it has ended and left something running.
inline constexpr char note_began = 'b';
inline constexpr char note_left_running = 'l';

/// Runs the command and waits for its end. Standard output and error come to `sink` in the order in
/// which they were written. When this returns, no process that the command started is left.
command_end run_command(
    const supervised_command& command, stop_source* stop, const std::function<void(std::string_view)>& sink);

} // namespace troupe::tools
