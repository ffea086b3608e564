// The stream hub: live events and deltas to whoever listens. It never waits for a reader.
//
// A reader begins with the past, read page by page as it takes it, and is live once it has all that
// the hub knows of. An event that needs the past to be shown is read from there, live too.
#pragma once

#include "actors/protocol.hpp"

#include <caf/fwd.hpp>

namespace troupe::actors {

class session_directory;

/// `subscribe` brings a reader what it hasn't from the archive, then what is published.
caf::behavior stream_hub(
    caf::event_based_actor* self, caf::actor archive, std::shared_ptr<const session_directory> owned);

} // namespace troupe::actors
