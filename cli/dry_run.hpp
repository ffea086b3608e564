// A dry run from the command line: the recorded input to another model, and where the two part.
#pragma once

#include "actors/history/dry_run.hpp"
#include "cli/surroundings.hpp"

namespace troupe::cli {

/// Reads `provider=…,model=…,effort=…,instructions=…`; a comma ends a value only where the next key begins.
/// `instructions=@FILE` reads them from a file. Errors: `invalid_input`, with the key that was meant.
result<actors::dry_run_changes> changes_of(const std::string& with);

/// Forks the session at its beginning, says what was said to it, and tells where the answers part. Gives the
/// exit status: `work_failed` where they part.
int dry_run(const common_flags& common, const std::string& session, const actors::dry_run_changes& changes);

} // namespace troupe::cli
