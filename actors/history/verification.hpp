// Verification: every decision of a stored log made again, and its chain recomputed.
#pragma once

#include "persistence/journal.hpp"
#include "session/replay/redecide.hpp"

#include <functional>

namespace troupe::actors {

/// What came of it.
struct verification {
  std::int64_t events = 0;       ///< that were found good
  std::int64_t begins_after = 0; ///< retention removed the events up to here; 0: none
  std::optional<session::difference> first_difference;
  bool is_whole = true; ///< false: the chain was not compared with the row's, since an end was given
};

/// Its members for a JSON object that is open: `ok`, `events` and, where there are, `begins_after` and
/// `first_difference`.
void put(json::writer& out, const verification& found);

/// Reads the log in pages, up to its head or to `until` (above 0), whole appends only, and holds each to what
/// the machine decides now. A session that works meanwhile is read to where it is at the end. `progress`
/// hears of each page by the number of events so far, and may end it by false. Errors: `unavailable`,
/// `cancelled` by `progress`, `invalid_input` for an `until` beyond the head.
result<verification> verify_log(persistence::journal& journal, const persistence::session_row& row,
    std::int64_t until = 0, const std::function<bool(std::int64_t)>& progress = {});

} // namespace troupe::actors
