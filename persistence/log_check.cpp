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

bool was_trimmed(const std::vector<recorded_event>& events) {
  for (const auto& event : events)
    if (event.type == "context.trimmed")
      return true;
  return false;
}

} // namespace

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
  std::int64_t expected = from.seq + 1;
  for (const auto& event : events)
    if (event.seq == expected)
      ++expected;
    else
      return corrupt(session, "gap at " + std::to_string(expected));
  if (expected != head.seq + 1)
    return corrupt(
        session, "gap at " + std::to_string(expected) + ", the head is " + std::to_string(head.seq));
  if (was_trimmed(events))
    return {};
  if (chain_of(events, std::string(from.chain)) != head.chain)
    return corrupt(session, "the chain doesn't hold");
  return {};
}

} // namespace troupe::persistence
