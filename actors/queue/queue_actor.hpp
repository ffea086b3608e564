// A queue: accepts messages, one for steering and one for sends.
//
//   post ──▶ append ──▶ tell the agent, then acknowledge
//
// It is there while it has something to do; what accepting needs to know (how many wait, whether the
// session is closed) is kept in `session_queues`.
#pragma once

#include "actors/node_parts.hpp"
#include "actors/queue/session_queues.hpp"

#include <caf/fwd.hpp>

namespace troupe::actors {

struct queue_settings {
  persistence::session_key session;
  std::string id;
  std::int64_t epoch = 0;
  delivery which = delivery::send;
  std::shared_ptr<session_queues> queues;
};

/// Spawned by `session_queues::enter`; answers each `post` with `posted`, and ends when there is no other.
caf::behavior queue_actor(caf::event_based_actor* self, queue_settings settings,
    std::shared_ptr<const node_parts> parts, caf::actor agent);

} // namespace troupe::actors
