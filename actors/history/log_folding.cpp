// From the newest snapshot before it, and the events from there on.
#include "actors/history/log_folding.hpp"

#include "actors/fleet/session_loading.hpp"
#include "messages/event_codec.hpp"
#include "persistence/log_check.hpp"
#include "session/snapshot.hpp"

#include <algorithm>

namespace troupe::actors {

namespace {

/// The events of a log behind a snapshot, or all that there are.
struct log_part {
  std::optional<persistence::kept_snapshot> from;
  std::vector<recorded_event> events;
  persistence::log_place begin; ///< the place before the first of them
};

result<log_part> part_of(persistence::journal& journal, const persistence::session_row& row, std::int64_t at,
    std::int64_t through) {
  auto kept = journal.snapshot_before(row.key, at, session::snapshot_version);
  if (!kept)
    return kept.error();
  log_part part{*std::move(kept), {}, {}};
  if (part.from)
    part.begin = {part.from->folded.seq, part.from->chain};
  auto events = journal.read(row.key, part.begin.seq, static_cast<std::size_t>(through - part.begin.seq));
  if (!events)
    return events.error();
  part.events = *std::move(events);
  if (!part.from && !part.events.empty())
    part.begin = persistence::beginning_of(part.events.front());
  while (!part.events.empty() && part.events.back().seq > through)
    part.events.pop_back();
  if (at <= part.begin.seq && !part.from)
    return persistence::removed_by_retention(row.id, part.begin.seq);
  return part;
}

result<folded_log> folded(
    persistence::journal& journal, const persistence::session_row& row, log_part part, std::int64_t at) {
  part.events.resize(std::min(part.events.size(), static_cast<std::size_t>(at - part.begin.seq)));
  std::string chain = chain_of(part.events, part.begin.chain);
  persistence::taken_session taken{row, std::nullopt, std::move(part.events)};
  taken.row.head = at;
  if (part.from)
    taken.from = part.from->folded;
  auto state = load_state(journal, taken);
  if (!state)
    return state.error();
  if ((*state)->head != at || part.begin.seq + static_cast<std::int64_t>(taken.events.size()) != at)
    return problem{problem_code::corrupt,
        "the log of session `" + row.id + "` has a gap before event " + std::to_string(at), {}};
  return folded_log{*std::move(state), std::move(chain)};
}

/// Null where the snapshot doesn't say all but the context.
result<std::shared_ptr<session::state>> outline_of(
    persistence::journal& journal, std::int32_t tenant, const log_part& part, std::int64_t at) {
  auto kept = part.from ? session::read_kept(part.from->folded.content) : session::kept_state{};
  if (!kept || !kept->nothing_waits)
    return std::shared_ptr<session::state>();
  auto state = std::make_shared<session::state>(std::move(kept->without_context));
  const auto end = std::ranges::find_if(part.events, [&](const auto& stored) { return stored.seq > at; });
  const auto folded = fold_on(journal, tenant, *state, {part.events.begin(), end});
  return folded ? result<std::shared_ptr<session::state>>(std::move(state)) : folded.error();
}

/// The events behind the newest snapshot before `at`, up to the head, whose chain holds.
result<log_part> checked_part(
    persistence::journal& journal, const persistence::session_row& row, std::int64_t at) {
  const auto head = persistence::head_of(journal, row);
  if (!head)
    return head.error();
  auto part = part_of(journal, row, at, head->seq);
  if (!part)
    return part;
  if (const auto whole = persistence::check_log(
          row.id, {part->begin.seq, part->begin.chain}, part->events, {head->seq, head->chain});
      !whole)
    return whole.error();
  return part;
}

} // namespace

namespace {

// Between two of its reads the beginning of a log may be removed: then it is folded from what is left.
template <class Fold> result<folded_log> also_if_shortened(const Fold& fold) {
  auto folded = fold();
  return !folded && folded.error().code == problem_code::corrupt ? fold() : std::move(folded);
}

result<folded_log> folded_to(
    persistence::journal& journal, const persistence::session_row& row, std::int64_t at) {
  auto part = part_of(journal, row, at, at);
  return part ? folded(journal, row, *std::move(part), at) : part.error();
}

result<folded_log> checked_folded_to(
    persistence::journal& journal, const persistence::session_row& row, std::int64_t at) {
  auto part = checked_part(journal, row, at);
  return part ? folded(journal, row, *std::move(part), at) : part.error();
}

result<folded_log> checked_outlined_at(
    persistence::journal& journal, const persistence::session_row& row, std::int64_t at) {
  auto part = checked_part(journal, row, at);
  auto state = part ? outline_of(journal, row.key.tenant, *part, at) : part.error();
  if (!state)
    return state.error();
  if (!*state)
    return folded(journal, row, *std::move(part), at);
  if (const auto filled = fill_instructions(journal, row.key.tenant, **state); !filled)
    return filled.error();
  part->events.resize(std::min(part->events.size(), static_cast<std::size_t>(at - part->begin.seq)));
  return folded_log{*std::move(state), chain_of(part->events, part->begin.chain)};
}

} // namespace

result<folded_log> fold_to(
    persistence::journal& journal, const persistence::session_row& row, std::int64_t at) {
  return also_if_shortened([&] { return folded_to(journal, row, at); });
}

result<folded_log> checked_fold_to(
    persistence::journal& journal, const persistence::session_row& row, std::int64_t at) {
  return also_if_shortened([&] { return checked_folded_to(journal, row, at); });
}

result<folded_log> checked_outline_at(
    persistence::journal& journal, const persistence::session_row& row, std::int64_t at) {
  return also_if_shortened([&] { return checked_outlined_at(journal, row, at); });
}

} // namespace troupe::actors
