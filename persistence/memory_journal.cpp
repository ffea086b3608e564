// The contract of `journal` over the shared tables in memory.
#include "persistence/memory_journal.hpp"

#include "persistence/memory_database.hpp"

#include <algorithm>

namespace troupe::persistence {

namespace {

problem no_such_session(const std::string& id) {
  return {problem_code::not_found, "there is no session `" + id + "`", {}};
}

problem not_a_name(const std::string& what, const std::string& name) {
  return {problem_code::invalid_input, "`" + name + "` can't name a " + what, {}};
}

} // namespace

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

class memory_journal final : public journal {
 public:
  memory_journal(std::shared_ptr<memory_store> store, patience waiting)
      : store_(std::move(store)), database_(*store_->database_), appends_(database_),
        commit_(appends_, std::move(waiting)) {}

  result<std::int32_t> tenant(const std::string& name) override {
    if (!is_id(name))
      return not_a_name("tenant", name);
    const std::scoped_lock lock(database_.mutex);
    return database_.tenants.try_emplace(name, static_cast<std::int32_t>(database_.tenants.size() + 1))
        .first->second;
  }

  result<timestamp> heartbeat(const node_identity& node, std::int64_t lease_ms) override {
    const std::scoped_lock lock(database_.mutex);
    database_.nodes[node.id] = {node, {database_.now.microseconds + lease_ms * 1000}};
    return database_.now;
  }

  void leave(const node_identity& node) override {
    const std::scoped_lock lock(database_.mutex);
    database_.nodes.erase(node.id);
    for (auto& [key, session] : database_.sessions)
      if (session.owner == node.id)
        database_.let_go(session);
  }

  result<session_row> create(std::int32_t tenant, const std::string& id, const node_identity& node) override {
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
    session.row.created_at = session.row.updated_at = database_.now;
    session.owner = node.id;
    commit_.heads().put(key, {1, 0, {}, {}, {}, 0});
    return row_of(session);
  }

  result<taken_session> take(std::int32_t tenant, const std::string& id, const node_identity& node) override {
    const std::scoped_lock lock(database_.mutex);
    auto* const session = database_.find(tenant, id);
    if (!session)
      return no_such_session(id);
    const bool ours = session->owner == node.id;
    if (!ours) {
      const auto owner = database_.nodes.find(session->owner);
      if (owner != database_.nodes.end() && database_.is_alive(owner->second))
        return problem{problem_code::owned_elsewhere,
            "session `" + id + "` is owned by node `" + owner->second.identity.name + "` (alive, lease until "
                + to_string(owner->second.lease_until) + "); stop it, or wait with --wait",
            {}};
    }
    session->owner = node.id;
    session->due_at.reset();
    ++session->row.epoch;
    session->row.deaths += ours ? 0 : 1;
    auto& head = commit_.heads().put(
        session->row.key, {session->row.epoch, session->row.head, session->chain, {}, {}, 0});
    head.extend(session->events);
    return taken_session{row_of(*session), session->events};
  }

  void release(const session_key& key, std::int64_t epoch) override {
    const std::scoped_lock lock(database_.mutex);
    commit_.heads().forget(key);
    const auto found = database_.sessions.find(key);
    if (found != database_.sessions.end() && found->second.row.epoch == epoch && !found->second.owner.empty())
      database_.let_go(found->second);
  }

  result<std::vector<append_outcome>> append_all(const std::vector<append>& batch) override {
    return commit_.append_all(batch);
  }

  void stop() override { commit_.stop(); }

  result<session_row> find(std::int32_t tenant, const std::string& id) override {
    const std::scoped_lock lock(database_.mutex);
    const auto* const session = database_.find(tenant, id);
    if (!session)
      return no_such_session(id);
    return row_of(*session);
  }

  result<std::vector<session_row>> list(std::int32_t tenant, const std::string& status, std::size_t limit,
      const std::optional<page_mark>& page) override {
    const std::scoped_lock lock(database_.mutex);
    std::vector<session_row> out;
    for (const auto& [key, session] : database_.sessions)
      if (key.tenant == tenant && (status.empty() || status == session.row.view.status))
        out.push_back(row_of(session));
    const auto age = [](const session_row& row) { return std::pair(row.created_at, row.key.branch); };
    std::sort(out.begin(), out.end(), [&](const auto& a, const auto& b) { return age(a) > age(b); });
    if (page)
      std::erase_if(
          out, [&](const auto& row) { return age(row) >= std::pair(page->created_at, page->branch); });
    out.resize(std::min(out.size(), limit));
    return out;
  }

  result<std::vector<session_row>> due(const node_identity& node, std::size_t limit) override {
    const std::scoped_lock lock(database_.mutex);
    std::vector<session_row> out;
    for (const auto& [key, session] : database_.sessions) {
      const auto owner = database_.nodes.find(session.owner);
      const bool owner_is_dead = !session.owner.empty() && session.owner != node.id
          && owner != database_.nodes.end() && !database_.is_alive(owner->second);
      const auto& view = session.row.view;
      const bool wants = view.needs_work || (view.wake_at && *view.wake_at <= database_.now);
      if (out.size() < limit
          && ((session.owner.empty() && session.due_at && *session.due_at <= database_.now)
              || (owner_is_dead && wants)))
        out.push_back(row_of(session));
    }
    return out;
  }

  result<std::vector<recorded_event>> read(
      const session_key& session, std::int64_t after, std::size_t limit) override {
    auto events = appends_.read_after(session, after);
    if (events.size() > limit)
      events.resize(limit);
    return events;
  }

  result<std::map<std::string, std::string>> blobs(
      std::int32_t tenant, const std::vector<std::string>& names) override {
    const std::scoped_lock lock(database_.mutex);
    std::map<std::string, std::string> out;
    for (const auto& name : names)
      if (const auto found = database_.blobs.find({tenant, name}); found != database_.blobs.end())
        out[name] = found->second;
    return out;
  }

  result<std::string> chain(const session_key& session) override {
    const std::scoped_lock lock(database_.mutex);
    const auto found = database_.sessions.find(session);
    if (found == database_.sessions.end())
      return problem{
          problem_code::not_found, "there is no session on branch " + std::to_string(session.branch), {}};
    return found->second.chain;
  }

 private:
  session_row row_of(const memory_session& session) const {
    auto row = session.row;
    if (const auto owner = database_.nodes.find(session.owner); owner != database_.nodes.end())
      row.node = owner->second.identity.name;
    return row;
  }

  std::shared_ptr<memory_store> store_;
  memory_database& database_;
  memory_append_store appends_;
  group_commit commit_;
};

std::unique_ptr<journal> make_memory_journal(std::shared_ptr<memory_store> store, patience waiting) {
  return std::make_unique<memory_journal>(std::move(store), std::move(waiting));
}

} // namespace troupe::persistence
