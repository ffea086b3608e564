// Judges appends one by one as they land; nothing that is committed is looked at twice.
#include "tests/simulation/witness.hpp"

#include "messages/event_codec.hpp"
#include "session/evolve.hpp"
#include "session/steps.hpp"
#include "session/work.hpp"
#include "tests/simulation/staged_tools.hpp"
#include "tests/support/snapshots.hpp"
#include "tests/support/world.hpp"

#include <span>

namespace troupe::simulation {

watched_log::watched_log(std::string session, session::verifier::content_source contents)
    : id(std::move(session)), again(std::move(contents)), rules(tools_that_may_run_again()) {}

witness::witness(ground& on)
    : on_(on), reader_(persistence::make_memory_journal(on.store)), known_(known_in_simulations()) {}

watched_log& witness::log_of(const std::string& session) {
  return logs_.try_emplace(session, session, [this](const std::string& name) { return content(name); })
      .first->second;
}

std::optional<std::string> witness::content(const std::string& name) {
  auto found = reader_->blobs(1, {name});
  return found && found->contains(name) ? std::optional(std::move(found->at(name))) : std::nullopt;
}

std::optional<persistence::session_row> witness::row(const std::string& session) {
  auto found = reader_->find(1, session);
  return found ? std::optional(*std::move(found)) : std::nullopt;
}

void witness::broken(const watched_log& log, const std::string& what) {
  on_.broken("session " + log.id + ": " + what);
}

void witness::look() {
  const auto writes = on_.store->writes();
  if (writes == writes_seen_)
    return;
  writes_seen_ = writes;
  for (auto& [id, log] : logs_) {
    if (!log.key)
      if (const auto found = row(id))
        log.key = found->key;
    if (!log.key)
      continue;
    const auto heads = reader_->heads({*log.key});
    const auto head = heads->find(*log.key);
    const auto known = static_cast<std::int64_t>(log.events.size());
    if (head == heads->end() || head->second < known)
      broken(log, "I-1: the log became shorter");
    else if (head->second > known)
      take(log, *reader_->read(*log.key, known, 100'000));
  }
}

void witness::take(watched_log& log, std::vector<recorded_event> events) {
  for (auto& stored : events) {
    auto happened = decode(stored);
    if (!happened)
      return broken(log, "cannot be read: " + happened.error().detail);
    if (encode(happened->data) != stored.payload)
      return broken(log, "event " + std::to_string(stored.seq) + " comes back as something else");
    if (auto* const trimmed = std::get_if<context_trimmed>(&happened->data)) {
      auto state = content(trimmed->state->content.ref->blob);
      if (!state)
        return broken(log, "what event " + std::to_string(stored.seq) + " goes on from isn't there");
      trimmed->state = referenced_text(*std::move(state));
    }
    log.events.push_back(*std::move(happened));
    log.recorded.push_back(std::move(stored));
  }
  for (std::size_t first = log.events.size() - events.size(); first < log.events.size();) {
    std::size_t last = first;
    while (last < log.events.size() && log.recorded[last].append_seq == log.recorded[first].append_seq)
      ++last;
    judge_append(log, first, last - first);
    first = last;
  }
}

void witness::judge_append(watched_log& log, std::size_t first, std::size_t count) {
  const std::span<const event> append(log.events.data() + first, count);
  const auto& head = log.recorded[first];
  if (head.append_seq != head.seq)
    broken(log, "I-1: event " + std::to_string(head.seq) + " doesn't begin its append");
  if (append.front().at < log.state.at)
    broken(log, "D-44: event " + std::to_string(head.seq) + " is before the one before it");
  if (const auto other = log.again.take(std::span(log.recorded).subspan(first, count)))
    broken(log,
        "I-9: event " + std::to_string(other->seq) + ": decided again " + other->expected + ", recorded "
            + other->found);
  for (std::size_t i = first; i < first + count; ++i) {
    if (const auto breach = log.rules.check(log.events[i]))
      broken(log, *breach);
    remember(log, log.events[i]);
    session::evolve(log.state, log.events[i]);
  }
  on_.story.tell("log", head.seq, static_cast<std::int64_t>(count), [&] {
    std::string types = log.id + ":";
    for (const auto& happened : append)
      types += " " + std::string(type_name(happened.data));
    return types;
  });
  if (head.seq % 3 == 0)
    recovers(log);
}

void witness::remember(watched_log& log, const event& happened) {
  if (const auto* const it = std::get_if<tool_started>(&happened.data); it && !it->client) {
    log.started.insert({it->execution_id, it->attempt});
    if (const auto* const call = log.state.find_call(it->execution_id))
      log.arguments[it->execution_id] = it->arguments.value_or(call->effective_arguments());
  }
  if (const auto* const it = std::get_if<tool_receipt>(&happened.data))
    log.receipts.insert(it->execution_id);
  if (const auto* const it = std::get_if<tool_resolved>(&happened.data); it && it->verdict == verdict::rerun)
    ++log.reruns[it->execution_id];
  if (const auto* const it = std::get_if<inference_started>(&happened.data))
    log.inferences.insert(it->inference_id);
  if (const auto* const it = std::get_if<compaction_started>(&happened.data))
    for (const char* const part : {"/1", "/2"}) // what it asks
      log.inferences.insert(it->compaction_id + part);
}

// I-8: whoever loads the log as it is now names a next step, and another, until it rests or waits.
void witness::recovers(const watched_log& log) {
  auto state = log.state;
  if (!state.exists())
    return;
  testing::counting_ids ids;
  const session::inputs in{state.at, ids, known_};
  std::optional<command> next = recover{"crash"};
  for (int steps = 0; next; ++steps) {
    const auto events = session::decide(state, *next, in);
    if (!events)
      return broken(log, "I-8: at " + std::to_string(log.state.head) + ": " + events.error().detail);
    if (steps > 50 || (events->empty() && steps > 0))
      return broken(log, "I-8: at " + std::to_string(log.state.head) + " recovery doesn't end");
    for (const auto& happened : *events)
      session::evolve(state, happened);
    next = session::next_step(state, known_.tool_facts);
    if (!next && state.aborting())
      next = settle_abort{}; // nothing runs where it was just loaded
  }
  const auto status = session::status(state);
  if (status == "running" && session::work(state).empty())
    broken(log, "I-8: at " + std::to_string(log.state.head) + " a running session has no work");
}

} // namespace troupe::simulation
