// The fleet, of one node: its lease, the sessions it holds, and their agents' lives.
#pragma once

#include "actors/node_parts.hpp"

#include <caf/fwd.hpp>

namespace troupe::actors {

struct fleet_settings {
  std::int32_t tenant = 1;
  persistence::node_identity node;
  bool takes_over = false; ///< takes sessions by itself: those left with work, those whose time has come
};

/// Spawn it detached: loading blocks. Answers `open_session`, `erase_session` and `shut_down`. An agent that
/// dies is loaded again; after five deaths in a row its session is parked.
caf::behavior fleet_actor(caf::event_based_actor* self, fleet_settings settings,
    std::shared_ptr<persistence::journal> journal, std::shared_ptr<node_parts> parts);

} // namespace troupe::actors
