// A tool call: one attempt, one receipt, whatever happens.
#pragma once

#include "actors/node_parts.hpp"

#include <caf/fwd.hpp>

namespace troupe::actors {

struct tool_call_settings {
  persistence::session_key session;
  std::shared_ptr<const tools::offered_tool> tool;
  tools::call call;
  std::shared_ptr<std::atomic<bool>> overdue; ///< it was stopped because its time is up
};

/// Spawn it after `tool.started` is committed. The tool blocks a thread of its own, not this actor;
/// the agent is sent its `tool_answer`.
caf::behavior tool_call_actor(caf::event_based_actor* self, tool_call_settings settings,
    std::shared_ptr<const node_parts> parts, caf::actor agent);

} // namespace troupe::actors
