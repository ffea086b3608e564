// The requests of tests/gateway/malformed.
#pragma once

#include <string>
#include <vector>

namespace troupe::gateway::testing {

struct broken_request {
  std::string name; ///< begins with the status that it gets
  std::string bytes;
  int status() const { return std::stoi(name.substr(0, 3)); }
  /// The server waits for the rest of it.
  bool is_cut() const { return status() == 408; }
};

/// In the order of their names.
std::vector<broken_request> corpus();

} // namespace troupe::gateway::testing
