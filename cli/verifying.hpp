// Verifying from the command line: one session, or all of them by several threads.
#pragma once

#include "cli/surroundings.hpp"

namespace troupe::cli {

/// Verifies the log up to its head, or to `until` (above 0), and says what came of it. Gives the exit status.
int verify_one(
    const common_flags& common, const archive& kept, const persistence::session_row& row, std::int64_t until);

/// Verifies the logs of all sessions, as many at once as there are processors, and says which are not what
/// the machine decides. Gives the exit status.
int verify_all(const common_flags& common);

} // namespace troupe::cli
