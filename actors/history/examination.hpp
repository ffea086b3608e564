// What is wrong with a stored session, each thing by a name, and the repair of what appending repairs.
#pragma once

#include "persistence/journal.hpp"

#include <functional>

namespace troupe::actors {

/// One thing that is wrong.
struct session_finding {
  /// How its log differs from what the machine decides (`session::difference_kind`); or `row`: its row says
  /// something else; `unpaired`: a call without a receipt; `cut_off`: a run that nobody has and that goes on.
  std::string kind;
  std::int64_t seq = 0;
  std::string what;
  bool can_be_repaired = false;
};

struct session_examination {
  std::int64_t events = 0; ///< that are good
  std::vector<session_finding> findings;
};

/// Verifies the log, and holds the row and what is open to it. `is_owned`: a living node has the session, and
/// what is open in it is under way. `progress` as `verify_log` has it. Errors: as those.
result<session_examination> examine_session(persistence::journal& journal,
    const persistence::session_row& row, bool is_owned,
    const std::function<bool(std::int64_t)>& progress = {});

/// Ends the run that was left open, as an abort does: every call gets its receipt and its result. Nothing is
/// carried out, and nothing that is in the log is touched. Errors: `not_found`,
/// `owned_elsewhere`, `fenced`, `corrupt`, `unavailable`.
result<void> close_what_is_open(persistence::journal& journal, std::int32_t tenant, const std::string& id,
    const persistence::node_identity& node);

} // namespace troupe::actors
