// Applies writes all or nothing, and meets the faults that were ordered.
#include "persistence/memory_database.hpp"

#include "persistence/append_batch.hpp"

#include "persistence/this_process.hpp"

#include <algorithm>

namespace troupe::persistence {

memory_session* memory_database::find(std::int32_t tenant, const std::string& id) {
  const auto found = branches.find({tenant, id});
  return found == branches.end() ? nullptr : &sessions.at({tenant, found->second});
}

bool memory_database::is_alive(const memory_node& node) const {
  return node.lease_until > now && !ended.contains(node.identity.id) && !is_gone(node.identity);
}

void memory_database::let_go(memory_session& session) {
  session.owner.clear();
  ++session.row.epoch;
  session.due_at = session.row.view.needs_work ? now : session.row.view.wake_at;
  session.row.deaths = std::max<std::int64_t>(session.row.deaths - 1, 0);
}

bool memory_database::needs(const memory_session& session, const std::string& name) const {
  const auto names_it = [&](const std::string& text) { return text.find(name) != std::string::npos; };
  if (std::ranges::any_of(session.events, names_it, &recorded_event::payload))
    return true;
  if (session.events.empty() || session.events.front().type != "context.trimmed")
    return false;
  // what the log goes on from is content itself
  return std::ranges::any_of(session.blobs, [&](const std::string& used) {
    const auto stored = blobs.find({session.row.key.tenant, used});
    return session.events.front().payload.find(used) != std::string::npos && stored != blobs.end()
        && names_it(stored->second);
  });
}

void memory_database::forget_unused_blobs(std::int32_t tenant) {
  std::erase_if(blobs, [&](const auto& stored) {
    return stored.first.first == tenant
        && std::none_of(sessions.begin(), sessions.end(), [&](const auto& session) {
             return session.first.tenant == tenant && session.second.blobs.contains(stored.first.second);
           });
  });
}

bool memory_database::write_one(const session_write& wanted) {
  const auto found = sessions.find(wanted.session);
  if (found == sessions.end())
    return false;
  auto& session = found->second;
  if (session.row.epoch != wanted.epoch || session.row.head != wanted.base)
    return false;
  for (const auto& row : wanted.claims)
    if (session.claims.count(row.claim))
      return false;
  for (const auto& row : wanted.events) {
    session.events.push_back(row.event);
    if (!row.chain.empty())
      session.chains[row.event.seq] = row.chain;
  }
  for (const auto& row : wanted.claims)
    session.claims[row.claim] = row.seq;
  for (const auto& row : wanted.blobs) {
    blobs.try_emplace({wanted.session.tenant, row.name}, *row.content);
    session.blobs.insert(row.name);
  }
  session.row.head = wanted.head;
  session.row.deaths = 0;
  session.row.updated_at = now;
  if (wanted.view)
    session.row.view = *wanted.view;
  else if (wanted.wakes && session.row.view.status == "idle")
    session.row.view.needs_work = true;
  session.chain = wanted.chain;
  session.last_append = wanted.last_append;
  return true;
}

void memory_database::put_off(const std::vector<session_write>& wanted) {
  auto& later = late.emplace_back();
  later.writes = wanted;
  for (auto& session : later.writes)
    for (auto& row : session.blobs)
      if (row.content)
        row.content = &later.contents.emplace_back(*row.content);
}

bool memory_database::land() {
  if (late.empty())
    return false;
  ++writes;
  for (const auto& session : late.front().writes)
    write_one(session);
  late.pop_front();
  return true;
}

void memory_database::meet_fault(const std::vector<session_write>& wanted) {
  if (full)
    throw database_fault(remedy::wait, "53100", "no room (made to order)");
  if (faults.empty() || faults.front() == made_fault::lose_answer)
    return;
  const auto fault = faults.front();
  faults.pop_front();
  if (fault == made_fault::full) {
    full = true;
    throw database_fault(remedy::wait, "53100", "no room (made to order)");
  }
  if (fault == made_fault::fail)
    throw database_fault(remedy::retry, "40001", "lost against another transaction (made to order)");
  if (fault == made_fault::write_late)
    put_off(wanted);
  throw database_fault(remedy::reconnect, "", "the connection broke before the write (made to order)");
}

std::vector<bool> memory_database::write(const std::vector<session_write>& wanted) {
  const std::scoped_lock lock(mutex);
  ++writes;
  meet_fault(wanted);
  for (const auto& session : wanted)
    for (const auto& row : session.events)
      if (refused_payloads.count(row.event.payload))
        throw database_fault(remedy::halve, "22P05", "not storable (made to order)");
  std::vector<bool> out;
  for (const auto& session : wanted)
    out.push_back(write_one(session));
  if (!faults.empty() && faults.front() == made_fault::lose_answer) {
    faults.pop_front();
    throw database_fault(remedy::reconnect, "", "the connection broke after the write (made to order)");
  }
  return out;
}

const memory_session& memory_database::begin_fork(
    memory_session session, const log_place& cut, const append& first) {
  session_write begun;
  begun.session = session.row.key;
  begun.epoch = session.row.epoch;
  begun.base = begun.head = cut.seq;
  begun.chain = cut.chain;
  stack(begun, first);
  begun.claims.clear();
  begun.view = first.view;
  meet_fault({begun});
  branches[{session.row.key.tenant, session.row.id}] = session.row.key.branch;
  const auto& there = sessions[session.row.key] = std::move(session);
  write_one(begun);
  if (!faults.empty() && faults.front() == made_fault::lose_answer) {
    faults.pop_front();
    throw database_fault(remedy::reconnect, "", "the connection broke after the fork (made to order)");
  }
  return there;
}

std::vector<bool> memory_append_store::write(const std::vector<session_write>& writes) {
  return database_.write(writes);
}

std::vector<session_facts> memory_append_store::look_up(const std::vector<session_question>& questions) {
  const std::scoped_lock lock(database_.mutex);
  std::vector<session_facts> out;
  for (const auto& question : questions) {
    auto& facts = out.emplace_back();
    const auto found = database_.sessions.find(question.session);
    if (found == database_.sessions.end())
      continue;
    const auto& session = found->second;
    facts = {true, session.row.epoch, session.row.head, session.chain, session.last_append,
        session.events.empty() ? timestamp{} : session.events.back().at, {}};
    for (const auto& claim : question.claims)
      if (const auto taken = session.claims.find(claim); taken != session.claims.end())
        facts.taken.push_back({claim, taken->second});
  }
  return out;
}

std::vector<recorded_event> memory_append_store::read_after(const session_key& session, std::int64_t after) {
  const std::scoped_lock lock(database_.mutex);
  const auto found = database_.sessions.find(session);
  if (found == database_.sessions.end())
    return {};
  const auto& events = found->second.events;
  return {std::ranges::upper_bound(events, after, {}, &recorded_event::seq), events.end()};
}

} // namespace troupe::persistence
