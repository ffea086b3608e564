// Whether the options of a session fit together: what a mode and a permission rule name is there.
#pragma once

#include "actors/node_parts.hpp"

namespace troupe::actors {

/// The tools that the model of a session with these options may be shown. Errors: `invalid_input`, at the
/// place of a tool, a mode or a rule that names nothing, with what was meant.
result<tools::offer> fitting_offer(const node_parts& parts, const options& wanted);

/// Whether each permission rule names a tool of `whole`, or `*`: one that names nothing would decide nothing,
/// and nobody would notice. Errors: as above.
result<void> check_rules(const options& wanted, const tools::offer& whole);

} // namespace troupe::actors
