// Recomputes the chain append by append.
#include "persistence/log_check.hpp"

#include "messages/digest.hpp"
#include "messages/event_codec.hpp"

namespace troupe::persistence {

namespace {

problem corrupt(const std::string& session, const std::string& what) {
  return {problem_code::corrupt,
      "the log of session `" + session + "` is damaged: " + what
          + "; nothing was changed, restore it from a backup or an export",
      {}};
}

} // namespace

log_place beginning_of(const recorded_event& first) {
  const auto happened = first.type == "context.trimmed" ? decode(first) : result<event>(problem{});
  const auto* const trimmed = happened ? std::get_if<context_trimmed>(&happened->data) : nullptr;
  if (!trimmed || trimmed->through_seq != first.seq - 1)
    return {};
  return {trimmed->through_seq, from_hex(trimmed->anchor)};
}

problem removed_by_retention(const std::string& session, std::int64_t through) {
  return {problem_code::not_found,
      "the events of session `" + session + "` up to " + std::to_string(through)
          + " were removed (its `retention` is `context`); the first that is there is "
          + std::to_string(through + 1),
      {}};
}

result<log_place> head_of(journal& journal, const session_row& row) {
  const problem gone{problem_code::not_found, "there is no session `" + row.id + "`", {}};
  if (!row.begun())
    return gone;
  auto head = journal.head(row.key);
  return !head && head.error().code == problem_code::not_found ? gone : std::move(head);
}

result<void> check_log(const std::string& session, const chain_mark& from,
    const std::vector<recorded_event>& events, const chain_mark& head) {
  const auto beginning = from.seq == 0 && !events.empty() ? beginning_of(events.front()) : log_place{};
  const chain_mark begin = beginning.seq > 0 ? chain_mark{beginning.seq, beginning.chain} : from;
  std::int64_t expected = begin.seq + 1;
  for (const auto& event : events)
    if (event.seq == expected)
      ++expected;
    else
      return corrupt(session, "gap at " + std::to_string(expected));
  if (expected != head.seq + 1)
    return corrupt(
        session, "gap at " + std::to_string(expected) + ", the head is " + std::to_string(head.seq));
  if (chain_of(events, std::string(begin.chain)) != head.chain)
    return corrupt(session, "the chain doesn't hold");
  return {};
}

} // namespace troupe::persistence
