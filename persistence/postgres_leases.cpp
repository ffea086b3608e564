// Who owns what: tenants, nodes and their leases, and the epochs of sessions. As troupe_writer.
#include "persistence/append_rules.hpp"
#include "persistence/log_check.hpp"
#include "persistence/postgres_journal_state.hpp"
#include "persistence/this_process.hpp"

#include "persistence/array_literal.hpp"

namespace troupe::persistence {

result<std::int32_t> postgres_journal::tenant(const std::string& name) {
  if (!is_id(name))
    return not_a_name("tenant", name);
  std::string roles_missing;
  auto rows = attempt("looking up the tenant", [&](database_connection& c) {
    roles_missing = c.roles_missing();
    auto found = c.run(sql::find_tenant, {name});
    if (found.empty() && roles_missing.empty()) {
      c.run(sql::make_tenant, {name});
      found = c.run(sql::find_tenant, {name});
    }
    return found;
  });
  if (!rows)
    return rows.error();
  if (rows->empty() || (!roles_missing.empty() && name != "default"))
    return problem{problem_code::unsupported,
        "tenant `" + name
            + "` needs the roles that keep tenants apart; an administrator of the database runs: "
            + roles_missing,
        {}};
  return static_cast<std::int32_t>(number_in(rows->at(0).at(0)));
}

result<timestamp> postgres_journal::heartbeat(const node_identity& node, std::int64_t lease_ms) {
  const auto rows = attempt("renewing the lease", [&](database_connection& c) {
    auto renewed = c.run(sql::heartbeat,
        {node.id, node.name, node.boot_id, std::to_string(node.pid), std::to_string(node.start_ticks),
            std::to_string(lease_ms)});
    return renewed;
  });
  if (!rows)
    return rows.error();
  return timestamp{number_in(rows->at(0).at(0))};
}

void postgres_journal::leave(const node_identity& node) {
  // What fails here runs out by itself: the lease ends, and the process with it.
  (void)attempt("leaving", [&](database_connection& c) {
    c.run(sql::let_go_of_all, {node.id});
    c.run(sql::remove_node, {node.id});
    return c.run(sql::forget_dead_nodes, {});
  });
}

result<postgres_journal::session_owner> postgres_journal::owner_of(
    std::int32_t tenant, const std::string& id) {
  const auto rows = attempt("looking up the session's owner", [&](database_connection& c) {
    return c.run(sql::find_owner, {std::to_string(tenant), id});
  });
  if (!rows)
    return rows.error();
  if (rows->empty())
    return problem{problem_code::not_found, "there is no session `" + id + "`", {}};
  const auto& row = rows->at(0);
  session_owner out;
  out.key = {tenant, number_in(row.at(0))};
  out.epoch = number_in(row.at(1));
  if (row.at(2))
    out.node = node_identity{*row.at(2), row.at(3).value_or("(unknown)"), row.at(4).value_or(""),
        number_in(row.at(5)), number_in(row.at(6))};
  out.lease_holds = row.at(7) == "t";
  out.lease_until = row.at(8).value_or("");
  return out;
}

std::optional<problem> postgres_journal::held_by_another(
    const session_owner& owner, const std::string& id, const node_identity& node) {
  const bool ours = owner.node && owner.node->id == node.id;
  if (ours || !owner.node || !owner.lease_holds || is_gone(*owner.node))
    return std::nullopt;
  return problem{problem_code::owned_elsewhere,
      "session `" + id + "` is owned by node `" + owner.node->name + "` (alive, lease until "
          + owner.lease_until + "); stop it, or try again when it has let go",
      {}};
}

result<bool> postgres_journal::is_held(std::int32_t tenant, const std::string& id) {
  const auto owner = owner_of(tenant, id);
  return owner ? owner->node && owner->lease_holds && !is_gone(*owner->node) : result<bool>(owner.error());
}

result<taken_session> postgres_journal::load(
    session_row row, const std::string& chain_at_head, std::int32_t snapshot_version) {
  auto kept = snapshot_before(row.key, row.head, snapshot_version);
  if (!kept)
    return kept.error();
  const kept_snapshot from = kept->value_or(kept_snapshot{});
  const std::int64_t after = from.folded.seq;
  auto events = read(row.key, after, static_cast<std::size_t>(row.head - after), {});
  if (!events)
    return events.error();
  if (auto whole = check_log(row.id, {after, from.chain}, *events, {row.head, chain_at_head}); !whole)
    return whole.error();
  auto& head = commit_.heads().put(row.key, {row.epoch, row.head, chain_at_head, {}, {}, 0});
  head.extend(*events);
  return taken_session{
      std::move(row), *kept ? std::optional((*kept)->folded) : std::nullopt, *std::move(events)};
}

result<taken_session> postgres_journal::take(
    std::int32_t tenant, const std::string& id, const node_identity& node, std::int32_t snapshot_version) {
  constexpr int races_max = 10;
  for (int race = 0; race < races_max; ++race) {
    auto owner = owner_of(tenant, id);
    if (!owner)
      return owner.error();
    if (auto held = held_by_another(*owner, id, node))
      return *held;
    const auto taken = attempt("taking the session", [&](database_connection& c) {
      return c.run(sql::take_session, {std::to_string(tenant), id, std::to_string(owner->epoch), node.id});
    });
    if (!taken)
      return taken.error();
    if (taken->empty())
      continue; // somebody was faster, or it was us and the answer got lost
    const auto& fields = taken->at(0);
    const auto row = session_row_of(fields);
    auto loaded = load(row, from_hex(fields.back().value_or("")), snapshot_version);
    if (!loaded) // nobody holds what couldn't be loaded
      release(row.key, row.epoch);
    return loaded;
  }
  return problem{
      problem_code::owned_elsewhere, "session `" + id + "` changes its owner all the time; try again", {}};
}

bool postgres_journal::release(const session_key& session, std::int64_t epoch) {
  commit_.heads().forget(session);
  return attempt("letting go of the session", [&](database_connection& c) {
    return c.run(sql::release_session,
        {std::to_string(session.tenant), std::to_string(session.branch), std::to_string(epoch)});
  }).has_value();
}

result<std::vector<session_row>> postgres_journal::due(const node_identity& node, std::size_t limit,
    std::int32_t tenant, const std::vector<std::string>& except) {
  auto rows = attempt("looking for sessions that are due", [&](database_connection& c) {
    array_literal dead;
    for (const auto& row : c.run(sql::list_nodes, {})) {
      const node_identity other{row.at(0).value_or(""), row.at(1).value_or(""), row.at(2).value_or(""),
          number_in(row.at(3)), number_in(row.at(4))};
      if (other.id != node.id && (row.at(5) != "t" || is_gone(other)))
        dead.add(other.id);
    }
    array_literal passed_over;
    for (const auto& id : except)
      passed_over.add(id);
    return c.run(
        sql::due_sessions, {dead.take(), std::to_string(limit), std::to_string(tenant), passed_over.take()});
  });
  if (!rows)
    return rows.error();
  std::vector<session_row> out;
  for (const auto& row : *rows)
    out.push_back(session_row_of(row));
  return out;
}

result<std::optional<erasure>> postgres_journal::erase(
    std::int32_t tenant, const std::string& id, const node_identity& node, std::optional<session_hold> hold) {
  const auto owner = owner_of(tenant, id);
  if (!owner)
    return owner.error();
  if (auto held = held_by_another(*owner, id, node))
    return *held;
  commit_.heads().forget(owner->key);
  const auto branch = hold ? std::optional(std::to_string(hold->branch)) : std::nullopt;
  const auto epoch = hold ? std::optional(std::to_string(hold->epoch)) : std::nullopt;
  const auto erased = attempt("erasing the session", [&](database_connection& c) {
    try {
      return c.run(sql::erase_session, {std::to_string(tenant), id, branch, epoch});
    } catch (const database_fault& fault) {
      if (fault.sqlstate() == "23503") // somebody began to refer to content that went with it
        throw database_fault(remedy::retry, fault.sqlstate(), fault.what());
      throw;
    }
  });
  if (!erased)
    return erased.error();
  const auto& row = erased->at(0);
  if (row[0])
    return std::optional(erasure{
        number_in(row[0]), number_in(row[1]), number_in(row[2]), number_in(row[3]), number_in(row[4])});
  // gone already, where it was us and the answer got lost: as good
  const auto left = hold ? owner_of(tenant, id) : problem{problem_code::not_found, "", {}};
  if (!left && left.error().code != problem_code::not_found)
    return left.error();
  return left ? result<std::optional<erasure>>(taken_meanwhile(id)) : std::optional<erasure>();
}

result<std::vector<std::string>> postgres_journal::forks_of(const session_key& session) {
  const auto rows = attempt("looking for forks", [&](database_connection& c) {
    return c.read(session.tenant, sql::forks_of_session,
        {std::to_string(session.tenant), std::to_string(session.branch)});
  });
  if (!rows)
    return rows.error();
  std::vector<std::string> ids;
  for (const auto& row : *rows)
    ids.push_back(row.at(0).value_or(""));
  return ids;
}

} // namespace troupe::persistence
