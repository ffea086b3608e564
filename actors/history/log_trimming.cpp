// First the fact, then the deed: whatever dies in between leaves a log that is whole.
#include "actors/history/log_trimming.hpp"

#include "actors/append_of.hpp"
#include "messages/digest.hpp"
#include "persistence/log_check.hpp"
#include "session/decide.hpp"

namespace troupe::actors {

result<std::vector<recorded_event>> trim_log(persistence::journal& journal,
    const persistence::session_row& row, const session::state& now, timestamp at, id_source& ids) {
  const auto forks = journal.forks_of(row.key);
  if (!forks || !forks->empty())
    return forks ? std::vector<recorded_event>() : result<std::vector<recorded_event>>(forks.error());
  const auto head = persistence::head_of(journal, row);
  if (!head)
    return head.error();
  if (head->seq != now.head)
    return problem{problem_code::conflict, "the session `" + row.id + "` has worked on", {}};
  const session::look_ups known;
  const auto decided = session::decide(now, trim{hex(head->chain)}, {std::max(now.at, at), ids, known});
  if (!decided)
    return decided.error();
  session::state next = now;
  std::vector<recorded_event> stored;
  if (!decided->empty()) {
    auto committed = commit_decided(journal, row, next, command_kind::trim, *decided, ids.next());
    if (!committed)
      return committed;
    stored = *std::move(committed);
  }
  const auto first = decided->empty() ? journal.read(row.key, 0, 1) : std::vector<recorded_event>();
  if (!first || (!first->empty() && first->front().seq > next.trimmed_through))
    return first ? stored : result<std::vector<recorded_event>>(first.error());
  const auto gone = journal.remove_through(row.key, row.epoch, next.trimmed_through);
  if (!gone)
    return gone.error();
  return stored;
}

} // namespace troupe::actors
