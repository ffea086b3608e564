// How many tokens the context has: what a provider last counted, and an estimate of what came since.
#pragma once

#include "session/state.hpp"

#include <span>

namespace troupe::session {

/// Four bytes of text a token, rounded up for each block; 20 more for a call, 10 more for a result; a picture
/// or a document counts as 1,200. Never 0, and never less for more text.
std::int64_t estimated_tokens(const message& message);

/// Bytes of its texts, arguments and data, wherever they are kept.
std::int64_t source_bytes(const message& message);

/// What a request has besides the messages: instructions and tools, as the newest inference was given them.
std::int64_t fixed_tokens(const state& now);

/// Of these messages alone.
std::int64_t estimated_tokens(std::span<const context_entry> entries);

/// Of the next request. A count of the provider's outranks an estimate; it is forgotten when the context is
/// made smaller, so that an old one never asks for it again. All of it can be read off the log.
std::int64_t context_tokens(const state& now);

} // namespace troupe::session
