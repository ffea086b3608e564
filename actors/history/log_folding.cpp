// From the newest snapshot before it, and the events from there on.
#include "actors/history/log_folding.hpp"

#include "actors/fleet/session_loading.hpp"
#include "messages/event_codec.hpp"
#include "persistence/log_check.hpp"
#include "session/evolve.hpp"
#include "session/snapshot.hpp"

namespace troupe::actors {

namespace {

/// The events of a log behind a snapshot.
struct log_part {
  std::optional<persistence::kept_snapshot> from;
  std::vector<recorded_event> events;
  std::int64_t begin() const { return from ? from->folded.seq : 0; }
  std::string chain() const { return from ? from->chain : std::string(); }
};

result<log_part> part_of(persistence::journal& journal, const persistence::session_row& row, std::int64_t at,
    std::int64_t through) {
  auto kept = journal.snapshot_before(row.key, at, session::snapshot_version);
  if (!kept)
    return kept.error();
  log_part part{*std::move(kept), {}};
  auto events = journal.read(row.key, part.begin(), static_cast<std::size_t>(through - part.begin()));
  if (!events)
    return events.error();
  part.events = *std::move(events);
  return part;
}

result<folded_log> folded(
    persistence::journal& journal, const persistence::session_row& row, log_part part, std::int64_t at) {
  part.events.resize(std::min(part.events.size(), static_cast<std::size_t>(at - part.begin())));
  std::string chain = chain_of(part.events, part.chain());
  persistence::taken_session taken{row, std::nullopt, std::move(part.events)};
  taken.row.head = at;
  if (part.from)
    taken.from = part.from->folded;
  auto state = load_state(journal, taken);
  if (!state)
    return state.error();
  if ((*state)->head != at || part.begin() + static_cast<std::int64_t>(taken.events.size()) != at)
    return problem{problem_code::corrupt,
        "the log of session `" + row.id + "` has a gap before event " + std::to_string(at), {}};
  return folded_log{*std::move(state), std::move(chain)};
}

/// Null where the snapshot doesn't say all but the context.
result<std::shared_ptr<session::state>> outline_of(const log_part& part, std::int64_t at) {
  auto kept = part.from ? session::read_kept(part.from->folded.content) : session::kept_state{};
  if (!kept || !kept->nothing_waits)
    return std::shared_ptr<session::state>();
  auto state = std::make_shared<session::state>(std::move(kept->without_context));
  for (const auto& stored : part.events) {
    if (stored.seq > at)
      break;
    const auto happened = decode(stored);
    if (!happened)
      return happened.error();
    session::evolve(*state, *happened);
  }
  return state;
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
          row.id, {part->begin(), part->chain()}, part->events, {head->seq, head->chain});
      !whole)
    return whole.error();
  return part;
}

} // namespace

result<folded_log> fold_to(
    persistence::journal& journal, const persistence::session_row& row, std::int64_t at) {
  auto part = part_of(journal, row, at, at);
  return part ? folded(journal, row, *std::move(part), at) : part.error();
}

result<folded_log> checked_fold_to(
    persistence::journal& journal, const persistence::session_row& row, std::int64_t at) {
  auto part = checked_part(journal, row, at);
  return part ? folded(journal, row, *std::move(part), at) : part.error();
}

result<folded_log> checked_outline_at(
    persistence::journal& journal, const persistence::session_row& row, std::int64_t at) {
  auto part = checked_part(journal, row, at);
  auto state = part ? outline_of(*part, at) : part.error();
  if (!state)
    return state.error();
  if (!*state)
    return folded(journal, row, *std::move(part), at);
  if (const auto filled = fill_instructions(journal, row.key.tenant, **state); !filled)
    return filled.error();
  part->events.resize(std::min(part->events.size(), static_cast<std::size_t>(at - part->begin())));
  return folded_log{*std::move(state), chain_of(part->events, part->chain())};
}

} // namespace troupe::actors
