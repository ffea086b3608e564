// The small process between us and a command: it outlives us just long enough to end the command.
#pragma once

#include <csignal>

namespace troupe::tools {

/// All that the supervisor needs, made before the fork: after it nothing may be allocated.
struct supervisor_plan {
  const char* const* arguments; ///< of the command; the first is the program's path
  const char* const* environment;
  int control; ///< a socket: requests come in, the report goes out, its end means that we are gone
  int input;
  int output;
  int folder;
  int grace_ms;
  bool sandboxed; ///< the command is a sandbox: what is to end kindly are the groups of its children
};

/// What a supervisor reports: that the command has started, and that it is over.
struct supervisor_report {
  int command = 0; ///< the command's process and its group, while it runs; 0 when it is over
  int wait_status = 0;
  int left_running = 0; ///< not 0 if the command left processes behind
};

/// The request on the control socket: end the command, kindly first.
inline constexpr char stop_request = 'T';

/// Runs in the forked child and never returns. It starts the command in a process group of its own,
/// adopts what the command leaves behind, and kills all of it when told, when the grace is over, or
/// when the control socket closes. Uses async-signal-safe calls only.
[[noreturn]] void supervise(const supervisor_plan& plan);

} // namespace troupe::tools
