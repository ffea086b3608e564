// Who owns what over the shared tables in memory, and the store that they are in.
#include "persistence/memory_journal.hpp"

#include "messages/event_codec.hpp"
#include "persistence/append_rules.hpp"
#include "persistence/memory_journal_state.hpp"

#include <algorithm>

namespace troupe::persistence {

problem no_such_session(const std::string& id) {
  return {problem_code::not_found, "there is no session `" + id + "`", {}};
}

memory_store::memory_store() : database_(std::make_unique<memory_database>()) {}
memory_store::~memory_store() = default;

void memory_store::expect(made_fault fault) {
  const std::scoped_lock lock(database_->mutex);
  database_->faults.push_back(fault);
}

void memory_store::heal() {
  const std::scoped_lock lock(database_->mutex);
  database_->full = false;
}

bool memory_store::land() {
  const std::scoped_lock lock(database_->mutex);
  return database_->land();
}

void memory_store::bury(const std::string& node_id) {
  const std::scoped_lock lock(database_->mutex);
  database_->ended.insert(node_id);
}

void memory_store::refuse_payload(std::string payload) {
  const std::scoped_lock lock(database_->mutex);
  database_->refused_payloads.insert(std::move(payload));
}

void memory_store::advance(std::int64_t ms) {
  const std::scoped_lock lock(database_->mutex);
  database_->now.microseconds += ms * 1000;
}

std::size_t memory_store::writes() const {
  const std::scoped_lock lock(database_->mutex);
  return database_->writes;
}

std::size_t memory_store::faults_to_meet() const {
  const std::scoped_lock lock(database_->mutex);
  return database_->faults.size();
}

result<std::int32_t> memory_journal::tenant(const std::string& name) {
  if (!is_id(name))
    return not_a_name("tenant", name);
  const std::scoped_lock lock(database_.mutex);
  return database_.tenants.try_emplace(name, static_cast<std::int32_t>(database_.tenants.size() + 1))
      .first->second;
}

result<timestamp> memory_journal::heartbeat(const node_identity& node, std::int64_t lease_ms) {
  const std::scoped_lock lock(database_.mutex);
  database_.nodes[node.id] = {node, {database_.now.microseconds + lease_ms * 1000}};
  return database_.now;
}

void memory_journal::leave(const node_identity& node) {
  const std::scoped_lock lock(database_.mutex);
  database_.nodes.erase(node.id);
  for (auto& [key, session] : database_.sessions)
    if (session.owner == node.id)
      database_.let_go(session);
}

result<taken_session> memory_journal::take(
    std::int32_t tenant, const std::string& id, const node_identity& node, std::int32_t snapshot_version) {
  const std::scoped_lock lock(database_.mutex);
  auto* const session = database_.find(tenant, id);
  if (!session)
    return no_such_session(id);
  if (auto held = held_by_another(*session, node))
    return *held;
  const bool ours = session->owner == node.id;
  session->owner = node.id;
  session->due_at.reset();
  ++session->row.epoch;
  session->row.deaths += ours ? 0 : 1;
  auto& head = commit_.heads().put(
      session->row.key, {session->row.epoch, session->row.head, session->chain, {}, {}, 0});
  head.extend(session->events);
  taken_session taken{row_of(*session), std::nullopt, session->events};
  if (snapshot_version != 0 && !session->folded.empty()
      && session->folded.rbegin()->second.version == snapshot_version) {
    taken.from = session->folded.rbegin()->second;
    std::erase_if(taken.events, [&](const auto& event) { return event.seq <= taken.from->seq; });
  }
  return taken;
}

void memory_journal::keep(const session_key& key, const snapshot& folded) {
  const std::scoped_lock lock(database_.mutex);
  const auto found = database_.sessions.find(key);
  if (found == database_.sessions.end() || !found->second.chains.contains(folded.seq))
    return;
  auto& kept = found->second.folded;
  std::erase_if(kept, [&](const auto& older) {
    return older.first < folded.seq && older.first / snapshot_every == folded.seq / snapshot_every;
  });
  kept[folded.seq] = folded;
}

result<std::optional<kept_snapshot>> memory_journal::snapshot_before(
    const session_key& key, std::int64_t seq, std::int32_t version) {
  const std::scoped_lock lock(database_.mutex);
  const auto found = database_.sessions.find(key);
  std::optional<kept_snapshot> out;
  if (found == database_.sessions.end())
    return out;
  const auto& kept = found->second.folded;
  for (auto one = std::make_reverse_iterator(kept.upper_bound(seq)); one != kept.rend() && !out; ++one)
    if (const auto chain = found->second.chains.find(one->first);
        one->second.version == version && chain != found->second.chains.end())
      out = kept_snapshot{one->second, chain->second};
  return out;
}

std::optional<problem> memory_journal::held_by_another(
    const memory_session& session, const node_identity& node) const {
  const auto owner = database_.nodes.find(session.owner);
  if (session.owner == node.id || owner == database_.nodes.end() || !database_.is_alive(owner->second))
    return std::nullopt;
  return problem{problem_code::owned_elsewhere,
      "session `" + session.row.id + "` is owned by node `" + owner->second.identity.name
          + "` (alive, lease until " + to_string(owner->second.lease_until)
          + "); stop it, or try again when it has let go",
      {}};
}

result<bool> memory_journal::is_held(std::int32_t tenant, const std::string& id) {
  const std::scoped_lock lock(database_.mutex);
  const auto* const session = database_.find(tenant, id);
  if (!session)
    return no_such_session(id);
  const auto owner = database_.nodes.find(session->owner);
  return owner != database_.nodes.end() && database_.is_alive(owner->second);
}

bool memory_journal::release(const session_key& key, std::int64_t epoch) {
  const std::scoped_lock lock(database_.mutex);
  commit_.heads().forget(key);
  const auto found = database_.sessions.find(key);
  if (found != database_.sessions.end() && found->second.row.epoch == epoch && !found->second.owner.empty())
    database_.let_go(found->second);
  return true;
}

result<std::vector<append_outcome>> memory_journal::append_all(const std::vector<append>& batch) {
  return commit_.append_all(batch);
}

void memory_journal::stop() { commit_.stop(); }

std::unique_ptr<journal> make_memory_journal(std::shared_ptr<memory_store> store, patience waiting) {
  return std::make_unique<memory_journal>(std::move(store), std::move(waiting));
}

} // namespace troupe::persistence
