// Sessions made, forked, renamed and erased in memory.
#include "persistence/append_rules.hpp"
#include "persistence/memory_journal_state.hpp"

#include <algorithm>

namespace troupe::persistence {

result<session_row> memory_journal::create(
    std::int32_t tenant, const std::string& id, const node_identity& node, const log_place& begins) {
  if (!is_id(id))
    return not_a_name("session", id);
  const std::scoped_lock lock(database_.mutex);
  if (database_.find(tenant, id))
    return problem{problem_code::conflict, "session `" + id + "` exists already", {}};
  const session_key key{tenant, ++database_.last_branch};
  database_.branches[{tenant, id}] = key.branch;
  auto& session = database_.sessions[key];
  session.row.key = key;
  session.row.id = id;
  session.row.epoch = 1;
  session.row.head = begins.seq;
  session.chain = begins.chain;
  session.row.created_at = session.row.updated_at = database_.now;
  session.owner = node.id;
  commit_.heads().put(key, {1, begins.seq, begins.chain, {}, {}, 0});
  return row_of(session);
}

// A copy does what a branch does: what was inherited stays as it was, whatever becomes of the parent.
result<session_row> memory_journal::fork(
    const session_row& parent, const log_place& cut, const std::string& id, const append& first) {
  if (!is_id(id))
    return not_a_name("session", id);
  if (auto fault = fault_of(first))
    return *std::move(fault);
  const std::scoped_lock lock(database_.mutex);
  const auto from = database_.sessions.find(parent.key);
  if (from == database_.sessions.end() || from->second.events.empty()
      || from->second.events.front().seq > cut.seq)
    return no_such_session(parent.id);
  if (database_.find(parent.key.tenant, id))
    return problem{problem_code::conflict, "session `" + id + "` exists already", {}};
  const session_key key{parent.key.tenant, ++database_.last_branch};
  const auto& inherited = from->second;
  memory_session session;
  session.row.key = key;
  session.row.id = id;
  session.row.epoch = 1;
  session.row.head = session.row.cut = cut.seq;
  session.row.created_at = session.row.updated_at = database_.now;
  session.events.assign(inherited.events.begin(),
      std::ranges::upper_bound(inherited.events, cut.seq, {}, &recorded_event::seq));
  session.chains.insert(inherited.chains.begin(), inherited.chains.upper_bound(cut.seq));
  for (const auto& [claim, seq] : inherited.claims)
    if (seq <= cut.seq)
      session.claims[claim] = seq;
  session.blobs = inherited.blobs;
  std::erase_if(session.blobs, [&](const auto& name) { return !database_.needs(session, name); });
  session.lineage = inherited.lineage;
  session.lineage.emplace_back(parent.key, cut.seq);
  try {
    return row_of(database_.begin_fork(std::move(session), cut, first));
  } catch (const database_fault& fault) {
    return to_problem(fault, "forking the session");
  }
}

result<void> memory_journal::rename(
    const session_key& key, std::int64_t epoch, const std::string& id, const session_view& view) {
  if (!is_id(id))
    return not_a_name("session", id);
  const std::scoped_lock lock(database_.mutex);
  if (database_.find(key.tenant, id))
    return problem{problem_code::conflict, "session `" + id + "` exists already", {}};
  const auto found = database_.sessions.find(key);
  if (found == database_.sessions.end() || found->second.row.epoch != epoch)
    return problem{problem_code::fenced, "the session is another one's now", {}};
  database_.branches.erase({key.tenant, found->second.row.id});
  database_.branches[{key.tenant, id}] = key.branch;
  found->second.row.id = id;
  found->second.row.view = view;
  return {};
}

result<std::optional<erasure>> memory_journal::erase(
    std::int32_t tenant, const std::string& id, const node_identity& node, std::optional<session_hold> hold) {
  const std::scoped_lock lock(database_.mutex);
  const auto* const session = database_.find(tenant, id);
  if (!session)
    return no_such_session(id);
  if (auto held = held_by_another(*session, node))
    return *held;
  if (hold && (session->row.epoch != hold->epoch || session->row.key.branch != hold->branch))
    return taken_meanwhile(id);
  const auto key = session->row.key;
  const auto cut = session->row.cut;
  std::int64_t kept = cut;
  for (const auto& [other, fork] : database_.sessions)
    for (const auto& [line, at] : fork.lineage)
      if (line == key)
        kept = std::max(kept, at);
  const auto events_in = [&](std::int64_t after, std::int64_t through) {
    return std::ranges::count_if(
        session->events, [&](const auto& event) { return event.seq > after && event.seq <= through; });
  };
  erasure gone{events_in(kept, session->row.head), 0, 0, 0, events_in(cut, kept)};
  for (const auto& [claim, seq] : session->claims)
    gone.claims += seq > kept ? 1 : 0;
  gone.snapshots = std::distance(session->folded.upper_bound(kept), session->folded.end());
  const auto contents = database_.blobs.size();
  commit_.heads().forget(key);
  database_.sessions.erase(key);
  database_.branches.erase({tenant, id});
  database_.forget_unused_blobs(tenant);
  gone.contents = static_cast<std::int64_t>(contents - database_.blobs.size());
  return gone;
}

result<std::int64_t> memory_journal::remove_through(
    const session_key& key, std::int64_t epoch, std::int64_t through) {
  const std::scoped_lock lock(database_.mutex);
  const auto found = database_.sessions.find(key);
  if (found == database_.sessions.end() || found->second.row.epoch != epoch
      || found->second.row.head <= through)
    return problem{problem_code::fenced, "the session is another one's now", {}};
  for (const auto& [other, fork] : database_.sessions)
    for (const auto& [line, at] : fork.lineage)
      if (line == key)
        return read_by_a_fork();
  auto& session = found->second;
  const auto cut = session.row.cut;
  const auto gone = std::ranges::count_if(
      session.events, [&](const auto& event) { return event.seq > cut && event.seq <= through; });
  std::erase_if(session.events, [&](const auto& event) { return event.seq <= through; });
  std::erase_if(session.folded, [&](const auto& kept) { return kept.first <= through; });
  std::erase_if(session.chains, [&](const auto& kept) { return kept.first <= through; });
  std::erase_if(session.blobs, [&](const auto& name) { return !database_.needs(session, name); });
  session.row.cut = 0;
  session.lineage.clear();
  database_.forget_unused_blobs(key.tenant);
  return gone;
}

result<std::vector<std::string>> memory_journal::forks_of(const session_key& session) {
  const std::scoped_lock lock(database_.mutex);
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const auto& [key, fork] : database_.sessions)
    for (const auto& [line, at] : fork.lineage)
      if (line == session && fork.row.begun())
        found.emplace_back(fork.lineage.size(), fork.row.id);
  std::ranges::sort(found, [](const auto& one, const auto& other) {
    return one.first != other.first ? one.first > other.first : one.second < other.second;
  });
  std::vector<std::string> ids;
  for (auto& [depth, id] : found)
    ids.push_back(std::move(id));
  return ids;
}

} // namespace troupe::persistence
