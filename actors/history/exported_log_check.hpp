// The first reading of an exported log: everything in it is looked at, nothing is stored.
#pragma once

#include "actors/history/import_log.hpp"

namespace troupe::actors {

/// What was found to be right.
struct checked_log {
  imported what;
  persistence::session_view view;
  std::string chain; ///< at the head
  persistence::log_place begins;
};

/// Errors: `invalid_input` with the line and the reason; `cancelled` by `progress`, which hears of the events
/// so far.
result<checked_log> check_exported_log(std::istream& from, const std::function<bool(std::int64_t)>& progress);

} // namespace troupe::actors
