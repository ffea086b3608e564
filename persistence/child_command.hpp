// Runs a program of the system: no shell quoting, a clean environment, none of our descriptors.
#pragma once

#include "messages/result.hpp"

#include <string>
#include <vector>

namespace troupe::persistence {

struct command_output {
  int status = 0;   ///< exit status, or 128 and the signal
  std::string text; ///< the end of what it wrote to stdout and stderr
};

/// Runs `arguments` (the first is the program) in `/` and waits for its end. The environment is
/// PATH and LC_ALL alone, so that no secret of ours gets into a server. Errors: `unavailable`.
result<command_output> run_command(const std::vector<std::string>& arguments);

} // namespace troupe::persistence
