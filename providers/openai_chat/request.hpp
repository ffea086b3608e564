// The body of a Chat Completions request out of ours. Pure.
#pragma once

#include "providers/provider.hpp"

namespace troupe::providers::openai_chat {

/// Writes the body so that the service's rules hold: the results of an answer's calls right after it,
/// what was said in between after them, neighbours of one role merged, nothing empty. Left out is what
/// the format has no words for: thinking, and what another provider ran itself. Errors:
/// `invalid_input` if nothing is left to send, `internal` for content not at hand.
result<std::string> write_body(const inference_request& request);

} // namespace troupe::providers::openai_chat
