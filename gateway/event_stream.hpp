// A session's live stream as server-sent events.
#pragma once

#include "actors/stream_reading.hpp"
#include "gateway/stream_source.hpp"

#include <memory>

namespace troupe::gateway {

/// Committed events carry their `seq` as the id; what isn't committed carries none, so that a client's
/// `Last-Event-ID` always names a committed one.
std::shared_ptr<stream_source> event_stream(std::unique_ptr<actors::live_stream> from);

} // namespace troupe::gateway
