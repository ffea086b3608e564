// Keeps the node's lease: on a thread and a connection of its own, so that nothing that loads or
// waits holds it up.
#pragma once

#include "actors/node_parts.hpp"

#include <caf/fwd.hpp>

namespace troupe::actors {

struct lease_settings {
  persistence::node_identity node;
  std::chrono::milliseconds lease{15'000};
  std::function<void()> on_database_away;
};

/// Spawn it detached, with a lease. Is told `heartbeat_due` when it is to be renewed first; `shut_down` ends
/// the lease at once.
caf::behavior lease_keeper(caf::event_based_actor* self, lease_settings settings,
    std::shared_ptr<persistence::journal> journal, std::shared_ptr<node_parts> parts);

} // namespace troupe::actors
