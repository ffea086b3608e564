// Options whose numbers must make sense, whoever asks for them.
#pragma once

#include "messages/options.hpp"
#include "messages/result.hpp"

namespace troupe::session {

/// Rounds or results that a compaction may leave.
inline constexpr std::int64_t compaction_keep_max = 1000;
/// The smallest threshold: a summary of its own takes as much.
inline constexpr std::int64_t compaction_threshold_min = 1000;

/// A question and its answer.
inline constexpr std::int64_t output_messages_min = 2;

/// Errors: `invalid_input`, with the place and the bound.
result<void> within_bounds(const options& wanted);

} // namespace troupe::session
