// The whole of a session that rests, as text: what a log goes on from whose beginning was removed.
//
// A snapshot is thrown away and made anew from the log; this can't be. So every form that was ever written
// is read for ever: fields are only added, and what is missing means what it meant before it was there.
#pragma once

#include "session/state.hpp"

#include <functional>

namespace troupe::session {

/// The state with its context and what waits in it, as JSON text; big texts by reference. It must be one
/// that can be kept (session/snapshot.hpp).
std::string carry(const state& now);

/// What was carried. Errors: `corrupt` for what isn't such a text, or is of another context than it says.
result<state> read_carried(std::string_view text);

/// All content that the state needs and that isn't in it.
void each_reference(const state& now, const std::function<void(const blob_ref&)>& sink);

} // namespace troupe::session
