// The context is made smaller: cleared at once, or by a compaction that an effect carries out (D-23).
#include "session/compaction_cut.hpp"
#include "session/context_size.hpp"
#include "session/steps.hpp"

#include <algorithm>

namespace troupe::session {

namespace {

compaction_options options_of(const state& now) {
  return now.options->compaction.value_or(compaction_options{});
}

std::int64_t kept_of(const state& now) { return options_of(now).keep.value_or(kept_by_default); }

// What the provider can't do is left to a summary, as is a cut within a round: it wants whole ones. The
// event says which it was.
std::string strategy_of(const draft& d, std::span<const context_entry> entries, std::int64_t through_seq) {
  const auto found = d.in().known.providers.find(d.now().settings.provider);
  const bool can = found != d.in().known.providers.end() && found->second.compacts;
  return can && options_of(d.now()).strategy == compaction_strategy::provider
          && covered_by(entries, through_seq).begun_round.empty()
      ? "provider"
      : "summarize";
}

bool is_clearable(const look_ups& known, const context_entry& entry) {
  if (!entry.answers)
    return false;
  const auto fact = known.tool_facts.find(entry.answers->tool);
  return fact != known.tool_facts.end() && fact->second.clearable
      && entry.message.parts != std::vector<content_part>{text_part{cleared_text(entry.answers->tool)}};
}

// Results that can be had again, but for the newest of them (K-117).
room clear_results(draft& d) {
  std::vector<context_entry> clearable;
  for (const auto& entry : d.now().context.entries())
    if (is_clearable(d.in().known, entry))
      clearable.push_back(entry);
  const auto kept = static_cast<std::size_t>(kept_of(d.now()));
  if (clearable.size() <= kept)
    return room::nothing_to_leave_out;
  const auto first_kept = clearable.end() - static_cast<std::ptrdiff_t>(kept);
  context_cleared cleared{d.new_id(), first_kept->seq, {}};
  for (auto entry = clearable.begin(); entry != first_kept; ++entry)
    cleared.calls.push_back(entry->answers->call);
  d.add(std::move(cleared));
  return room::made;
}

// What may stay by rounds, before the cut goes by size: nothing is asked of whoever asks, the threshold and
// a provider's refusal want the tail to fit.
tail_wanted tail_of(const draft& d, const std::string& reason, std::span<const context_entry> entries) {
  const std::int64_t all = estimated_tokens(entries);
  tail_wanted wanted{kept_of(d.now()), all, kept_tokens};
  if (reason == "overflow") {
    wanted.tokens_max = all / 2;
    wanted.tokens = std::min(kept_tokens, all / 2);
  } else if (const auto threshold = options_of(d.now()).threshold_tokens;
             threshold && reason == "threshold") {
    static constexpr std::int64_t for_the_summary = 4000;
    wanted.tokens_max = *threshold - fixed_tokens(d.now()) - for_the_summary;
    wanted.tokens = std::min(kept_tokens, *threshold / 4);
  }
  return wanted;
}

// Which part of the next request is the largest, for whoever has to make it smaller.
std::string largest_part(const draft& d) {
  const auto entries = d.now().context.entries();
  std::int64_t newest = 0;
  std::int64_t summaries = 0;
  for (const auto& entry : entries)
    (entry.stands_for_more ? summaries : newest) += estimated_tokens(entry.message);
  const std::int64_t fixed = fixed_tokens(d.now());
  if (fixed >= newest && fixed >= summaries)
    return "its instructions and tools (about " + std::to_string(fixed) + " tokens)";
  return newest >= summaries ? "its newest messages (about " + std::to_string(newest) + " tokens)"
                             : "its summary (about " + std::to_string(summaries) + " tokens)";
}

// A compaction that didn't help is told, and not tried again and again.
std::optional<failure> still_too_large(const draft& d) {
  const auto threshold = options_of(d.now()).threshold_tokens;
  const std::int64_t tokens = context_tokens(d.now());
  if (!threshold || tokens <= *threshold)
    return std::nullopt;
  return failure{"context_exhausted", std::nullopt, false,
      "the context has about " + std::to_string(tokens)
          + " tokens after a compaction, and `threshold_tokens` is " + std::to_string(*threshold)
          + ": what takes the most is " + largest_part(d)};
}

} // namespace

room make_room(draft& d, const std::string& reason) {
  if (options_of(d.now()).strategy == compaction_strategy::clear_tool_results)
    return clear_results(d);
  const auto entries = d.now().context.entries();
  const auto through = find_cut(entries, tail_of(d, reason, entries));
  if (!through)
    return room::nothing_to_leave_out;
  d.add(compaction_started{d.new_id(), strategy_of(d, entries, *through), *through, reason});
  return room::in_the_making;
}

bool room_comes_first(draft& d) {
  if (d.in().compaction_wanted && make_room(d, "requested") == room::in_the_making)
    return true;
  const auto threshold = options_of(d.now()).threshold_tokens;
  if (!threshold || d.now().compaction_failures >= compaction_failures_max
      || context_tokens(d.now()) <= *threshold)
    return false;
  return make_room(d, "threshold") == room::in_the_making;
}

void go_on_after(draft& d, const compaction_started& ended, const std::optional<failure>& failed) {
  const state& now = d.now();
  if (now.aborting())
    return close_aborted_run(d, {});
  if (!now.run) {
    if (!now.parked && !now.closing && !now.held && now.has_queued())
      run_with_queue(d, run_cause::message);
    return;
  }
  if (ended.reason == "overflow" && failed) {
    const auto overflow = now.inference && now.inference->error
        ? *now.inference->error
        : failure{"context_overflow", std::nullopt, false, "the context is too long for the model"};
    return fail_turn(d, overflow);
  }
  if (!failed && ended.reason == "threshold")
    if (const auto too_large = still_too_large(d))
      return fail_turn(d, *too_large);
  start_inference(d);
}

failure cancelled_compaction() {
  return {"cancelled", std::nullopt, false, "The compaction was cancelled by an abort."};
}

void give_up_compaction(draft& d, failure why) {
  d.add(compaction_failed{d.now().compaction->compaction_id, std::move(why), std::nullopt});
}

} // namespace troupe::session
