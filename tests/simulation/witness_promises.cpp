// What was told to somebody must be in the log and stay there; and what the whole log must bear in the end.
#include "messages/event_codec.hpp"
#include "persistence/log_check.hpp"
#include "session/evolve.hpp"
#include "session/failed_effect.hpp"
#include "session/project.hpp"
#include "tests/simulation/witness.hpp"
#include "tests/support/snapshots.hpp"

#include <algorithm>

namespace troupe::simulation {

namespace {

template <class T, class Is> const T* find_event(const watched_log& log, const Is& is) {
  for (const auto& happened : log.events)
    if (const auto* const it = std::get_if<T>(&happened.data); it && is(*it))
      return it;
  return nullptr;
}

// Whole logs are folded from every place where a snapshot may be taken, which takes its time.
constexpr std::size_t events_folded_everywhere = 60;

} // namespace

void witness::posted(const std::string& session, const accept_message& message, std::int64_t seq) {
  auto& log = log_of(session);
  const auto index = static_cast<std::size_t>(seq - 1);
  const auto* const it =
      index < log.events.size() ? std::get_if<message_queued>(&log.events[index].data) : nullptr;
  const bool is_known = seq > log.state.trimmed_through; // else by its id alone
  if (!it || it->message_id != message.message_id || (is_known && it->content != message.content))
    broken(log,
        "the message " + message.message_id + " was acknowledged at " + std::to_string(seq)
            + " and isn't there");
  const auto [before, is_new] = promised_[session].try_emplace(message.message_id, seq);
  if (!is_new && before->second != seq)
    broken(log, "I-2: the message " + message.message_id + " was acknowledged at two places");
}

void witness::decided(const std::string& session, const decide_permission& given) {
  auto& log = log_of(session);
  const auto* const it = find_event<permission_decided>(
      log, [&](const auto& event) { return event.decision_id == given.decision_id; });
  if (!it || (it->decision == "allow") != given.allow)
    broken(log, "I-6: the decision " + given.decision_id + " was acknowledged and isn't there");
}

void witness::resolved(const std::string& session, const give_verdict& given) {
  auto& log = log_of(session);
  const auto* const it = find_event<tool_resolved>(log, [&](const auto& event) {
    return event.execution_id == given.execution_id && event.verdict == given.verdict;
  });
  if (!it)
    broken(log, "I-6: the verdict on " + given.execution_id + " was acknowledged and isn't there");
}

void witness::answered(const std::string& session, const client_result& given) {
  auto& log = log_of(session);
  const auto* const it = find_event<tool_receipt>(log, [&](const auto& event) {
    return event.execution_id == given.execution_id && event.content == given.content;
  });
  const auto* const asked = find_event<tool_uncertain>(log, [&](const auto& event) {
    return event.execution_id == given.execution_id && event.error == session::failure_text(given.content);
  });
  if (!it && !(asked && given.is_error))
    broken(log, "the result of " + given.execution_id + " was acknowledged and isn't there");
}

// Whoever aborted is answered when the run that was open is over.
// 0: there was nothing to leave out.
void witness::made_smaller(const std::string& session, std::int64_t seq) {
  const auto& log = log_of(session);
  if (seq == 0)
    return;
  const auto at = static_cast<std::size_t>(seq - 1);
  if (at >= log.events.size()
      || (!std::holds_alternative<compaction_finished>(log.events[at].data)
          && !std::holds_alternative<context_cleared>(log.events[at].data)))
    broken(log, "the context was said to be smaller by event " + std::to_string(seq) + ", and isn't");
}

void witness::stopped(const std::string& session, const std::string& run) {
  auto& log = log_of(session);
  if (!run.empty() && log.state.run && log.state.run->id == run)
    broken(log, "the abort of run " + run + " was acknowledged and it is open");
}

void witness::seen(const std::string& session, const session::state& live) {
  auto& log = log_of(session);
  if (live.head > log.state.head)
    return broken(log, "a state was shown at " + std::to_string(live.head) + ", before it was committed");
  if (live.head == log.state.head && testing::told(live) != testing::told(log.state))
    broken(log,
        "the live state is another one than the fold of the log:\n  live " + testing::told(live) + "\n  fold "
            + testing::told(log.state));
}

void witness::judge_all() {
  look();
  for (auto& [id, log] : logs_)
    judge(log);
  for (const auto& [session, messages] : promised_)
    for (const auto& [message, seq] : messages) {
      const auto& log = log_of(session);
      const auto* const it = static_cast<std::size_t>(seq) <= log.events.size()
          ? std::get_if<message_queued>(&log.events[static_cast<std::size_t>(seq - 1)].data)
          : nullptr;
      if (!it || it->message_id != message)
        broken(log, "the acknowledged message " + message + " is gone");
    }
}

void witness::judge(watched_log& log) {
  if (!log.key)
    return;
  const auto stored = reader_->read(*log.key, 0, 1'000'000);
  const auto removed = log.recorded.size() - std::min(log.recorded.size(), stored->size());
  if (!std::ranges::equal(*stored, std::span(log.recorded).subspan(removed)))
    broken(log, "I-1: what was committed has changed");
  if (removed > 0 && log.recorded[removed].type != "context.trimmed")
    broken(log, "I-1: what went was needed");
  const auto head = reader_->head(*log.key);
  if (const auto whole = persistence::check_log(
          log.id, {}, log.recorded, {static_cast<std::int64_t>(log.recorded.size()), head->chain});
      !whole)
    broken(log, "I-9: " + whole.error().detail);
  if (head->chain != log.again.chain())
    broken(log, "I-9: the chain at the head isn't that of the appends");
  if (session::to_json(session::project(log.events)) != session::to_json(log.state.context.messages()))
    broken(log, "I-9: the projection of the log isn't the context of its fold");
  if (log.events.size() <= events_folded_everywhere)
    if (const auto breach = testing::snapshot_breach(log.events))
      broken(log, "snapshot: " + *breach);
}

} // namespace troupe::simulation
