// By rounds where that fits, else by size; always between whole messages.
#include "session/compaction_cut.hpp"

#include "session/context_size.hpp"

#include <algorithm>

namespace troupe::session {

namespace {

bool begins_round(const context_entry& entry) {
  return entry.message.role == "user" && !entry.stands_for_more;
}

// A place where the tail may begin: no result without its call, nothing that joined in one step parted, and
// something before it that isn't a summary already.
bool may_begin_tail(std::span<const context_entry> entries, std::size_t at) {
  if (at == 0 || at >= entries.size() || entries[at].answers || entries[at].message.role == "tool"
      || entries[at].stands_for_more || entries[at - 1].seq >= entries[at].seq)
    return false;
  return std::any_of(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(at),
      [](const context_entry& entry) { return !entry.stands_for_more; });
}

std::optional<std::size_t> cut_by_rounds(std::span<const context_entry> entries, std::int64_t rounds) {
  std::int64_t seen = 0;
  for (std::size_t at = entries.size(); at-- > 0;) {
    if (!begins_round(entries[at]) || ++seen < rounds)
      continue;
    while (at > 0 && entries[at - 1].seq == entries[at].seq)
      --at; // they were consumed together
    return may_begin_tail(entries, at) ? std::optional(at) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::size_t> cut_by_size(std::span<const context_entry> entries, std::int64_t tokens) {
  std::int64_t sum = 0;
  std::size_t at = entries.size();
  while (at > 0 && sum < tokens)
    sum += estimated_tokens(entries[--at].message);
  if (sum < tokens)
    return std::nullopt; // there is less than may stay
  for (std::size_t later = at; later < entries.size(); ++later)
    if (may_begin_tail(entries, later))
      return later;
  for (std::size_t earlier = at; earlier-- > 0;)
    if (may_begin_tail(entries, earlier))
      return earlier;
  return std::nullopt;
}

} // namespace

std::optional<std::int64_t> find_cut(std::span<const context_entry> entries, const tail_wanted& wanted) {
  auto cut = cut_by_rounds(entries, wanted.rounds);
  if (!cut || estimated_tokens(entries.subspan(*cut)) > wanted.tokens_max)
    if (const auto smaller = cut_by_size(entries, wanted.tokens); smaller && (!cut || *smaller > *cut))
      cut = smaller;
  return cut ? std::optional(entries[*cut].seq - 1) : std::nullopt;
}

covered_messages covered_by(std::span<const context_entry> entries, std::int64_t through_seq) {
  const auto kept = std::find_if(
      entries.begin(), entries.end(), [&](const context_entry& entry) { return entry.seq > through_seq; });
  const auto covered = entries.subspan(0, static_cast<std::size_t>(kept - entries.begin()));
  auto split = covered.size();
  if (kept != entries.end() && !begins_round(*kept))
    while (split > 0 && !begins_round(covered[--split])) {
    }
  if (split < covered.size() && !begins_round(covered[split]))
    split = covered.size(); // what is covered has no round: it is all history
  covered_messages out;
  for (std::size_t at = 0; at < covered.size(); ++at)
    (at < split ? out.history : out.begun_round).push_back(covered[at].message);
  while (out.summaries < out.history.size() && covered[out.summaries].stands_for_more)
    ++out.summaries;
  return out;
}

} // namespace troupe::session
