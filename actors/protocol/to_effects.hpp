// What is said to what runs for a session: inferences and tool calls.
#pragma once

#include "messages/commands.hpp"
#include "providers/provider.hpp"

namespace troupe::actors {

struct tool_ended {
  std::shared_ptr<const command> answer;
};

// -- to an inference -------------------------------------------------------------------------------

struct stream_batch {
  std::shared_ptr<const std::vector<providers::stream_event>> events;
  std::int64_t attempt = 0;
};
struct try_again {};
/// Finished blocks have waited long enough for what follows them; `mark` tells which.
struct let_blocks_go {
  std::int64_t mark = 0;
};
struct stop_now {};

} // namespace troupe::actors
