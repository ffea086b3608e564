// The body of a Messages request out of ours. Pure.
#pragma once

#include "providers/provider.hpp"

namespace troupe::providers::anthropic {

/// Writes the body so that the service's rules hold: results of a batch first in one user message,
/// messages of one role merged, nothing empty, thinking only with its signature. A system message in
/// the middle of the conversation goes as user text within `<system>…</system>`, which every model
/// takes. Errors: `invalid_input` if nothing is left to send, `internal` for content not at hand.
result<std::string> write_body(const inference_request& request);

} // namespace troupe::providers::anthropic
