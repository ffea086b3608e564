// A stored log, event by event, as readers get it.
#pragma once

#include "cli/surroundings.hpp"

namespace troupe::cli {

/// Shows the events after `after` up to `last`, until `show` says false. Errors: `unavailable`, `corrupt` for
/// an event that is missing.
result<void> each_event(const archive& kept, const persistence::session_row& row, std::int64_t after,
    std::int64_t last, const std::function<bool(const recorded_event&)>& show);

/// The same, decoded. Errors: `corrupt`, too, for one that can't be.
result<void> each_decoded(const archive& kept, const persistence::session_row& row, std::int64_t after,
    std::int64_t last, const std::function<void(const event&)>& show);

/// Says on standard error which events retention removed, if it did.
void tell_what_was_removed(const archive& kept, const persistence::session_row& row);

} // namespace troupe::cli
