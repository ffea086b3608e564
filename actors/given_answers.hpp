// Whether an answer to a call was given before: asked when the call is open no more.
#pragma once

#include "messages/commands.hpp"
#include "persistence/journal.hpp"

namespace troupe::actors {

/// Nothing if the log has the very same answer (a permission, a verdict, a client's result); `conflict`
/// if it has another, `unknown` if it has none.
std::optional<problem> compare_with_log(persistence::journal& journal,
    const persistence::session_row& session, const command& given, const problem& unknown);

} // namespace troupe::actors
