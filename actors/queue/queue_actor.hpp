// A queue: accepts messages, one for steering and one for sends.
//
//   post ──▶ append ──▶ tell the agent, then acknowledge
//
// It knows only what accepting needs: how many wait, and whether the session is closed.
#pragma once

#include "actors/node_parts.hpp"
#include "session/decide.hpp"

#include <caf/fwd.hpp>

#include <set>

namespace troupe::actors {

struct queue_settings {
  persistence::session_key session;
  std::string id;
  std::int64_t epoch = 0;
  std::set<std::string> waiting;
  bool closed = false;
  std::shared_ptr<const session::look_ups> known;
};

caf::behavior queue_actor(caf::event_based_actor* self, queue_settings settings,
    std::shared_ptr<const node_parts> parts, caf::actor agent);

} // namespace troupe::actors
