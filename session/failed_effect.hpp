// A call that failed may have had half of its effect: whether a person is asked about it (D-14).
#pragma once

#include "session/inputs.hpp"

namespace troupe::session {

/// True if the failure isn't the call's end, but a question: the session wants it so, somebody can answer,
/// something may have been done, and to do it again isn't harmless.
bool asks_about_failure(const state& now, const tool_answer& answer, const look_ups& known);

/// What the log keeps of a failure that is asked about; of what it keeps, it keeps all.
std::string failure_text(const content& said);

} // namespace troupe::session
