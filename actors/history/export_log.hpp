// A session's log to whoever keeps it, in constant memory.
#pragma once

#include "persistence/journal.hpp"

#include <functional>

namespace troupe::actors {

struct exported {
  std::int64_t events = 0;
  std::int64_t blobs = 0;
};

/// Writes the log up to its head, as exported_log.hpp says; the same log gives the same bytes. `write` takes
/// whole lines, and may end it by false. Errors: `corrupt` for a log whose chain doesn't hold or whose
/// content is missing, `cancelled` by `write`, `unavailable`, `not_found`.
result<exported> export_log(persistence::journal& journal, const persistence::session_row& row,
    const std::function<bool(const std::string& lines)>& write);

} // namespace troupe::actors
