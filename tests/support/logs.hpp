// The worked logs under tests/golden/logs, as recorded and as decoded events.
#pragma once

#include "messages/event_codec.hpp"

#include <string>
#include <vector>

namespace troupe::testing {

struct worked_log {
  std::string name;
  std::vector<recorded_event> recorded;
  std::vector<event> events;
  std::string context; ///< the file's JSON
};

/// All of them, by name. Throws if a file can't be read as events.
const std::vector<worked_log>& worked_logs();

/// The whole file; throws if it can't be read.
std::string read_file(const std::string& path);

} // namespace troupe::testing
