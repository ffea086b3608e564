// The session's own permission rules: the first that names the tool decides.
#pragma once

#include "messages/options.hpp"

#include <string_view>

namespace troupe::session {

/// Why an ask is denied where there is nobody who could answer it.
inline constexpr std::string_view nobody_to_ask = "Nobody can be asked here.";

/// The rule for the tool, or null where none speaks.
const permission_rule* find_rule(const options& options, std::string_view tool);

} // namespace troupe::session
