// A tool call: one attempt, one receipt, whatever happens.
#pragma once

#include "actors/node_parts.hpp"

#include <caf/fwd.hpp>

namespace troupe::actors {

struct tool_call_settings {
  std::shared_ptr<const tools::offered_tool> tool;
  tools::call call;
  std::shared_ptr<std::atomic<bool>> overdue; ///< it was stopped because its time is up
};

/// Spawn it detached, after `tool.started` is committed: tools block. Sends the agent `tool_answer`.
void tool_call_actor(caf::event_based_actor* self, const tool_call_settings& settings,
    std::shared_ptr<const node_parts> parts, const caf::actor& agent);

} // namespace troupe::actors
