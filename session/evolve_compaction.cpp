// The folds of what makes the context smaller.
#include "session/context_size.hpp"
#include "session/evolve.hpp"

#include <algorithm>

namespace troupe::session::detail {

namespace {

// What was counted was of another context.
void made_smaller(state& now) { now.measured.reset(); }

bool is_above_threshold(const state& now) {
  const auto& wanted = now.options->compaction;
  return wanted && wanted->threshold_tokens && context_tokens(now) > *wanted->threshold_tokens;
}

// Those that nobody let come to an end tell nothing of whether the next one succeeds.
bool counts_as_failed(const failure& error) {
  return error.code != "cancelled" && error.code != "interrupted" && error.code != "closed";
}

} // namespace

void fold_compaction(state& now, const compaction_started& it) {
  now.compaction = std::make_shared<const compaction_started>(it);
  if (it.reason == "overflow")
    now.overflowed = true;
}

void fold_compaction(state& now, const event& at, const compaction_finished& it) {
  const bool by_threshold = now.compaction && now.compaction->reason == "threshold";
  now.compaction.reset();
  const std::int64_t needed = needed_for_what_waits(now, at.seq);
  // what was carried over is there from the event on that carried it
  now.context_from = std::max(now.context.replace(it, at.seq, needed), now.trimmed_through + 1);
  if (it.usage)
    add(now.usage, *it.usage);
  made_smaller(now);
  // one that didn't help counts as one that failed: else it would be tried for each message that waits
  if (by_threshold && is_above_threshold(now))
    ++now.compaction_failures;
  else
    now.compaction_failures = 0;
}

void fold_compaction(state& now, const compaction_failed& it) {
  now.compaction.reset();
  // an abort starts nothing, also where no run was there to be aborted: what is queued waits (D-24, D-37)
  if (!now.run && it.error.code == "cancelled")
    now.held = now.has_queued();
  if (counts_as_failed(it.error))
    ++now.compaction_failures;
  if (it.usage)
    add(now.usage, *it.usage);
}

void fold_compaction(state& now, const context_cleared& it) {
  now.context.clear(it);
  if (now.inference && now.inference->error && now.inference->error->code == "context_overflow")
    now.overflowed = true;
  made_smaller(now);
}

} // namespace troupe::session::detail
