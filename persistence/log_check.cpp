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

log_beginning beginning_of(const recorded_event& first) {
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

result<log_head> head_of(journal& journal, const session_row& row) {
  const problem gone{problem_code::not_found, "there is no session `" + row.id + "`", {}};
  if (!row.begun())
    return gone;
  const auto head = [&]() -> result<std::int64_t> {
    const auto heads = journal.heads({row.key});
    if (!heads)
      return heads.error();
    return heads->empty() ? gone : result<std::int64_t>(heads->begin()->second);
  };
  for (auto before = head();; before = head()) {
    if (!before)
      return before.error();
    auto chain = journal.chain(row.key);
    const auto after = chain ? head() : chain.error();
    if (!after)
      return after.error();
    if (*after == *before)
      return log_head{*after, *std::move(chain)};
  }
}

result<void> check_log(const std::string& session, const chain_mark& from,
    const std::vector<recorded_event>& events, const chain_mark& head) {
  const auto beginning = from.seq == 0 && !events.empty() ? beginning_of(events.front()) : log_beginning{};
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
