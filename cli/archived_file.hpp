// The file that a session is put away in.
#pragma once

#include "persistence/journal.hpp"

#include <string>

namespace troupe::cli {

/// Writes the log to a file of its own, and reads that again, every decision of it. One that is there already
/// and is all of the log is as good: an earlier try died before the session was erased. Errors: `conflict`
/// for a name that another log has, `cancelled` by an interrupt, what exporting says.
result<void> write_checked(
    persistence::journal& journal, const persistence::session_row& row, const std::string& file);

} // namespace troupe::cli
