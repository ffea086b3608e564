// What a run may put into the context is checked before the work, not after it (P-081).
#include "session/steps.hpp"

#include <algorithm>
#include <limits>

namespace troupe::session {

std::size_t output_room(const state& now) {
  const auto& limit = now.options->output_limit;
  if (!limit || !limit->max_messages || !now.run)
    return std::numeric_limits<std::size_t>::max();
  return static_cast<std::size_t>(std::max<std::int64_t>(*limit->max_messages - now.run->messages - 1, 1));
}

bool ends_at_output_limit(draft& d, std::size_t more_messages, std::int64_t more_bytes) {
  const auto& limit = d.now().options->output_limit;
  if (!limit || !d.now().run)
    return false;
  const auto& run = *d.now().run;
  const bool too_many =
      limit->max_messages && run.messages + static_cast<std::int64_t>(more_messages) > *limit->max_messages;
  const bool too_much = limit->max_source_bytes && run.source_bytes + more_bytes >= *limit->max_source_bytes;
  if (!too_many && !too_much)
    return false;
  close_calls(d, "The response ended before this tool call was dispatched.");
  end_run(d, turn_outcome::completed,
      {run_outcome_kind::output_limit, std::nullopt, too_many ? "messages" : "source_bytes", std::nullopt,
          std::nullopt});
  return true;
}

} // namespace troupe::session
