// The stream hub: live events and deltas to whoever listens. It never waits for a reader.
#pragma once

#include "actors/protocol.hpp"

#include <caf/fwd.hpp>

namespace troupe::actors {

/// `subscribe` brings a reader what it hasn't from the archive, then what is published.
caf::behavior stream_hub(caf::event_based_actor* self, caf::actor archive);

} // namespace troupe::actors
