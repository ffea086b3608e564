// Foreign keys would keep such rows out at each append's cost (docs/data.md): they are looked for instead.
#include "persistence/orphans.hpp"

#include "persistence/database_connection.hpp"

namespace troupe::persistence {

namespace {

struct search {
  const char* what;
  const char* rows; ///< gives one text a row
};

// A session that is just being made or imported has an owner that lives.
constexpr search searches[] = {
    {"event(s) beyond the head of their session", R"(
select s.session_id || ', event ' || e.seq from troupe.sessions s join troupe.events e using (tenant_id, branch_id)
where e.seq > s.head_seq)"},
    {"branch(es) that no session and no fork reads", R"(
select 'branch ' || b.branch_id from troupe.branches b
where not exists (select from troupe.sessions s where s.tenant_id = b.tenant_id and s.branch_id = b.branch_id)
  and not exists (select from troupe.branches f where f.tenant_id = b.tenant_id and f.parent_id = b.branch_id))"},
    {"session(s) on a branch that isn't there, or branch(es) of a tenant that isn't", R"(
select s.session_id from troupe.sessions s
where not exists (select from troupe.branches b where b.tenant_id = s.tenant_id and b.branch_id = s.branch_id)
union all select 'branch ' || b.branch_id from troupe.branches b
where not exists (select from troupe.tenants t where t.tenant_id = b.tenant_id))"},
    {"event(s), claim(s), snapshot(s) or use(s) of content on a branch that isn't there", R"(
select 'branch ' || o.branch_id from (
  select tenant_id, branch_id from troupe.events union all select tenant_id, branch_id from troupe.claims
  union all select tenant_id, branch_id from troupe.snapshots
  union all select tenant_id, branch_id from troupe.blob_uses) o
where not exists (select from troupe.branches b where b.tenant_id = o.tenant_id and b.branch_id = o.branch_id))"},
    {"message(s) whose id isn't claimed: sent again they would be accepted again", R"(
select s.session_id || ', event ' || e.seq
from troupe.events e left join troupe.sessions s using (tenant_id, branch_id)
where e.type = 'message.queued' and e.key_no is null and not exists (
  select from troupe.claims c where c.tenant_id = e.tenant_id and c.branch_id = e.branch_id
    and c.claim = e.payload::json ->> 'message_id'))"},
    {"stored content(s) that nothing refers to", R"(
select 'sha256:' || encode(b.hash, 'hex') from troupe.blobs b
where not exists (select from troupe.blob_uses u where u.tenant_id = b.tenant_id and u.hash = b.hash))"},
    {"session(s) owned by a node that nobody knows", R"(
select s.session_id from troupe.sessions s
where s.node_id is not null and not exists (select from troupe.nodes n where n.node_id = s.node_id))"},
    {"session(s) that were made and never begun", R"(
select s.session_id from troupe.sessions s join troupe.branches b using (tenant_id, branch_id)
where s.head_seq = greatest(coalesce(b.cut_seq, 0), b.trimmed_through)
  and not exists (select from troupe.nodes n where n.node_id = s.node_id and n.lease_until > now()))"},
};

} // namespace

result<std::vector<orphan>> find_orphans(const std::string& url) {
  try {
    database_connection connection(url);
    connection.become_writer();
    connection.script("set statement_timeout = 0");
    std::vector<orphan> found;
    for (const auto& one : searches) {
      const auto rows = connection.script(
          std::string("select count(*), min(example) from (") + one.rows + ") as found (example)");
      if (const auto count = number_in(rows.at(0).at(0)); count > 0)
        found.push_back({std::to_string(count) + " " + one.what, rows.at(0).at(1).value_or("")});
    }
    return found;
  } catch (const database_fault& fault) {
    return to_problem(fault, "looking for rows that belong to nothing");
  }
}

} // namespace troupe::persistence
