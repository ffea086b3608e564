// What every context keeps to: each call has one result, and results stand in the order of the calls.
#pragma once

#include "messages/message_list.hpp"

#include <optional>

namespace troupe::session {

/// The first breach as a sentence, or nothing. A context is checked whole: its last answer may not
/// have calls open.
std::optional<std::string> pairing_breach(const message_list& context);

} // namespace troupe::session
