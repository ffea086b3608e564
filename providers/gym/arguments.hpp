// The arguments of a call, filled by the tool's schema from what a clause holds.
#pragma once

#include "providers/gym/clauses.hpp"
#include "providers/gym/conversation.hpp"

namespace troupe::providers::gym {

/// What a tool does, as far as the small model knows tools by their names.
enum class trade { none, read, write, edit, list, search, shell };

/// JSON text of an object.
std::string arguments_for(const seen_tool& tool, const clause& said, trade kind);

} // namespace troupe::providers::gym
