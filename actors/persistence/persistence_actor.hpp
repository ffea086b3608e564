// The persistence actor: all that waits goes into one commit; and the archive, which only reads.
#pragma once

#include "actors/protocol.hpp"

#include <caf/fwd.hpp>

namespace troupe::actors {

/// Spawn it detached: the journal's calls block. `append_order` is answered when its outcome is
/// certain; while one commit is under way the next batch gathers in the mailbox.
caf::behavior persistence_actor(caf::event_based_actor* self, std::shared_ptr<persistence::journal> journal);

/// Spawn it detached. Answers `read_events` and `read_blobs`.
caf::behavior archive_actor(caf::event_based_actor* self, std::shared_ptr<persistence::journal> journal);

} // namespace troupe::actors
