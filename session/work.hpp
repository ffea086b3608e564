// What should be running now, read off the state. Never stored: the shell compares it with what runs.
#pragma once

#include "session/inputs.hpp"

namespace troupe::session {

struct run_inference {
  std::string inference_id;
  bool operator==(const run_inference&) const = default;
};

struct run_tool {
  std::string execution_id;
  std::int64_t attempt = 1;
  bool operator==(const run_tool&) const = default;
};

struct run_compaction {
  std::string compaction_id;
  bool operator==(const run_compaction&) const = default;
};

using work_item = std::variant<run_inference, run_tool, run_compaction>;

/// The effects that the log intends and nothing has ended: empty while the run is being aborted.
std::vector<work_item> work(const state& now);

/// The command that the session owes itself: to take up what is queued, to begin calls, to end an
/// aborted run in which nothing runs any more. Absent when it waits for an effect or for somebody.
std::optional<command> next_step(const state& now, const std::map<std::string, tool_fact>& facts);

} // namespace troupe::session
