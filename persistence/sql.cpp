// The statements that read, and who owns what; those that append are in append_sql.cpp, those that make and
// erase sessions in session_sql.cpp. Batches come as arrays, one element a row, and are unnested side by
// side.
#include "persistence/sql.hpp"

namespace troupe::persistence::sql {

const statement look_up_heads = {"look_up_heads", R"(
select s.epoch, s.head_seq, encode(s.chain, 'hex'), s.last_append,
  (select (extract(epoch from e.at) * 1000000)::bigint from troupe.events e
   where e.tenant_id = w.tenant_id and e.branch_id = w.branch_id and e.seq = s.head_seq)
from unnest($1::int[], $2::bigint[]) with ordinality as w (tenant_id, branch_id, n)
left join troupe.sessions s on s.tenant_id = w.tenant_id and s.branch_id = w.branch_id
order by w.n)"};

// A fork's, too, of what it inherited.
const statement look_up_claims = {"look_up_claims", R"(
with recursive asked (n, tenant_id, branch_id, claim, high) as (
  select w.n, w.tenant_id, w.branch_id, w.claim, 9223372036854775807
  from unnest($1::bigint[], $2::int[], $3::bigint[], $4::text[]) as w (n, tenant_id, branch_id, claim)
  union all
  select a.n, a.tenant_id, b.parent_id, a.claim, least(b.cut_seq, a.high)
  from asked a cross join lateral (
    select o.parent_id, o.cut_seq from troupe.branches o
    where o.tenant_id = a.tenant_id and o.branch_id = a.branch_id limit 1
  ) b where b.parent_id is not null
)
select a.n, k.claim, k.seq from asked a
cross join lateral (
  select o.claim, o.seq from troupe.claims o
  where o.tenant_id = a.tenant_id and o.branch_id = a.branch_id and o.claim = a.claim and o.seq <= a.high limit 1
) k
order by a.n, k.seq)"};

const statement make_tenant = {"make_tenant",
    "insert into troupe.tenants (name) values ($1) on conflict on constraint tenant_name_is_unique do "
    "nothing"};
const statement find_tenant = {"find_tenant", "select tenant_id from troupe.tenants where name = $1"};

const statement heartbeat = {"heartbeat", R"(
insert into troupe.nodes (node_id, name, boot_id, pid, start_ticks, lease_until)
values ($1, $2, $3, $4, $5, clock_timestamp() + $6::bigint * interval '1 millisecond')
on conflict on constraint nodes_pkey do update set lease_until = excluded.lease_until
returning (extract(epoch from clock_timestamp()) * 1000000)::bigint)"};

const statement forget_dead_nodes = {"forget_dead_nodes", R"(
delete from troupe.nodes n where lease_until < now() - interval '1 day'
  and not exists (select from troupe.sessions s where s.node_id = n.node_id))"};

// Letting go in order is no death: the epoch that ends isn't counted. It ends here, so that an append
// that is still under way can't leave work in a session that nobody owns.
const statement let_go_of_all = {"let_go_of_all", R"(
update troupe.sessions
set node_id = null, epoch = epoch + 1, due_at = case when needs_work then now() else wake_at end,
  deaths = greatest(deaths - 1, 0)
where node_id = $1)"};

const statement remove_node = {"remove_node", "delete from troupe.nodes where node_id = $1"};

const statement find_owner = {"find_owner", R"(
select s.branch_id, s.epoch, s.node_id, n.name, n.boot_id, n.pid, n.start_ticks, n.lease_until > clock_timestamp(),
  to_char(n.lease_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
from troupe.sessions s left join troupe.nodes n using (node_id)
where s.tenant_id = $1 and s.session_id = $2)"};

const statement release_session = {"release_session", R"(
update troupe.sessions
set node_id = null, epoch = epoch + 1, due_at = case when needs_work then now() else wake_at end,
  deaths = greatest(deaths - 1, 0)
where tenant_id = $1 and branch_id = $2 and epoch = $3 and node_id is not null)"};

// The columns of a row, the same wherever one is read.
#define SESSION_COLUMNS(NODE_NAME)                                                                           \
  "s.tenant_id, s.branch_id, s.session_id, s.head_seq, s.epoch, " NODE_NAME ", s.status, s.needs_work, "     \
  "(extract(epoch from s.wake_at) * 1000000)::bigint, s.views, s.deaths, "                                   \
  "(extract(epoch from s.created_at) * 1000000)::bigint, (extract(epoch from s.updated_at) * "               \
  "1000000)::bigint, "                                                                                       \
  "(select b.cut_seq from troupe.branches b where b.tenant_id = s.tenant_id and b.branch_id = s.branch_id)"
#define SESSION_ROW                                                                                          \
  SESSION_COLUMNS("n.name") " from troupe.sessions s left join troupe.nodes n using (node_id) "

// Gives the row as it is now, and after its columns the chain at its head.
const statement take_session = {"take_session",
    R"(
update troupe.sessions s set epoch = s.epoch + 1, node_id = $4::uuid, due_at = null,
  deaths = s.deaths + case when s.node_id = $4::uuid then 0 else 1 end
where s.tenant_id = $1 and s.session_id = $2 and s.epoch = $3
returning )" SESSION_COLUMNS(
        "(select n.name from troupe.nodes n where n.node_id = $4::uuid)") ", encode(s.chain, 'hex')"};

const statement list_nodes = {"list_nodes",
    "select node_id, name, boot_id, pid, start_ticks, lease_until > clock_timestamp() from troupe.nodes"};

// Left with work by its owner, or its owner is one of $1, the nodes that are dead. Of one tenant (0: of
// all), but for $4.
const statement due_sessions = {"due_sessions", "select " SESSION_ROW R"(
where (s.due_at <= now()
    or (s.node_id = any ($1::uuid[]) and (s.needs_work or s.wake_at <= now())))
  and ($3::int = 0 or s.tenant_id = $3::int) and s.session_id <> all ($4::text[])
order by s.tenant_id, s.branch_id limit $2)"};

const statement find_session = {
    "find_session", "select " SESSION_ROW "where s.tenant_id = $1 and s.session_id = $2"};

const statement list_sessions = {"list_sessions", "select " SESSION_ROW R"sql(
where s.tenant_id = $1
  and ($2::text = '' or s.status::text = $2::text
    or ($2::text = 'attention' and s.views ~ '"(permissions|uncertain|client_calls)":'))
  and (s.created_at, s.branch_id) < ('epoch'::timestamptz + $3::bigint * interval '1 microsecond', $4::bigint)
order by s.created_at desc, s.branch_id desc limit $5)sql"};

#undef SESSION_ROW
#undef SESSION_COLUMNS

// A branch reads its own events above its cut and its parent's up to it, and so on up.
#define LINE_OF_BRANCHES                                                                                     \
  "with recursive line (branch_id, parent_id, low, high) as ("                                               \
  "  select branch_id, parent_id, coalesce(cut_seq, 0), 9223372036854775807"                                 \
  "  from troupe.branches where tenant_id = $1 and branch_id = $2 "                                          \
  "  union all"                                                                                              \
  "  select p.branch_id, p.parent_id, coalesce(p.cut_seq, 0), least(l.low, l.high)"                          \
  "  from line l cross join lateral ("                                                                       \
  "    select o.branch_id, o.parent_id, o.cut_seq from troupe.branches o"                                    \
  "    where o.tenant_id = $1 and o.branch_id = l.parent_id limit 1) p) "
// The time as the eight bytes that it is kept in: exact, and without the cost of a decimal.
#define EVENT_COLUMNS                                                                                        \
  "select e.seq, e.nth, e.command, e.type, e.version, timestamptz_send(e.at), e.run_id, e.payload "

// In order by how it is gone through, oldest branch first, without a sort of all that is read; whoever
// reads checks it. The types are of their type when they come: cast here, they would be for each event.
const statement read_events = {"read_events", LINE_OF_BRANCHES EVENT_COLUMNS R"(
from (select * from line order by low) l cross join lateral (
  select * from troupe.events o
  where o.tenant_id = $1 and o.branch_id = l.branch_id and o.seq > greatest(l.low, $3::bigint) and o.seq <= l.high
    and ($5::troupe.event_type[] = '{}' or o.type = any ($5::troupe.event_type[]))
  order by o.seq limit $4
) e
limit $4)"};

const statement read_payloads = {"read_payloads", LINE_OF_BRANCHES R"(
select e.seq, e.type, e.version, e.payload
from (select * from line order by low) l cross join lateral (
  select o.seq, o.type, o.version, o.payload from troupe.events o
  where o.tenant_id = $1 and o.branch_id = l.branch_id and o.seq > greatest(l.low, $3::bigint)
    and o.seq <= least(l.high, $4::bigint) and o.type = any ($5::troupe.event_type[])
  order by o.seq limit $6
) e
limit $6)"};

const statement read_these_events = {"read_these_events", LINE_OF_BRANCHES EVENT_COLUMNS R"(
from line l cross join lateral (
  select * from troupe.events o
  where o.tenant_id = $1 and o.branch_id = l.branch_id and o.seq = any ($3::bigint[]) and o.seq > l.low and o.seq <= l.high
  offset 0
) e
order by e.seq)"};

const statement read_chains = {"read_chains", LINE_OF_BRANCHES R"(
select e.seq, encode(e.chain, 'hex')
from (select * from line order by low) l cross join lateral (
  select o.seq, o.chain from troupe.events o
  where o.tenant_id = $1 and o.branch_id = l.branch_id and o.seq > greatest(l.low, $3::bigint)
    and o.seq <= least(l.high, $4::bigint) and o.chain is not null
  order by o.seq offset 0
) e)"};

const statement blob_of_session = {"blob_of_session", LINE_OF_BRANCHES R"(
select content from troupe.blobs where tenant_id = $1 and hash = $3::bytea
  and exists (select from line l cross join lateral (
    select from troupe.blob_uses u
    where u.tenant_id = $1 and u.hash = $3::bytea and u.branch_id = l.branch_id limit 1) used))"};

#undef EVENT_COLUMNS
#undef LINE_OF_BRANCHES

// One of this very log: the chain at its place is the same.
const statement newest_snapshot = {"newest_snapshot", R"(
select s.seq, s.content, encode(s.chain, 'hex') from troupe.snapshots s
where s.tenant_id = $1 and s.branch_id = $2 and s.version = $3 and s.seq <= $4
  and s.chain = (select e.chain from troupe.events e
                 where e.tenant_id = s.tenant_id and e.branch_id = s.branch_id and e.seq = s.seq)
order by s.seq desc limit 1)"};

const statement read_blobs = {"read_blobs", R"(
select encode(hash, 'hex'), content from troupe.blobs where tenant_id = $1 and hash in (select h from unnest($2::bytea[]) h))"};

const statement heads_of_sessions = {"heads_of_sessions", R"(
select s.tenant_id, s.branch_id, s.head_seq from unnest($1::int[], $2::bigint[]) as w (tenant_id, branch_id)
join troupe.sessions s using (tenant_id, branch_id))"};

const statement keep_snapshot = {"keep_snapshot", R"(
with made as (
  insert into troupe.snapshots (tenant_id, branch_id, seq, version, chain, content)
  select e.tenant_id, e.branch_id, e.seq, $4::int, e.chain, $5::bytea from troupe.events e
  where e.tenant_id = $1 and e.branch_id = $2 and e.seq = $3 and e.chain is not null
  on conflict on constraint snapshots_pkey do nothing
  returning seq
)
delete from troupe.snapshots s using made m
where s.tenant_id = $1 and s.branch_id = $2 and s.seq < m.seq
  and (s.seq / $6::bigint = m.seq / $6::bigint or s.version < $4::int))"};

const statement read_head = {"read_head",
    "select head_seq, encode(chain, 'hex') from troupe.sessions where tenant_id = $1 and branch_id = $2"};

} // namespace troupe::persistence::sql
