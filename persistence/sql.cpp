// The statements. Batches come as arrays, one element a row, and are unnested side by side.
#include "persistence/sql.hpp"

namespace troupe::persistence::sql {

// One statement a batch (docs/data.md, "The fenced append"). `moved` are the sessions whose epoch and
// head still match and whose claims are new; everything else is inserted for those alone. What it
// doesn't return was refused. Every write carries the head that it goes on from, so that of two
// that race one waits for the row and then finds that it has moved.
const statement append_events = {"append_events", R"(
with wanted as (
  select * from unnest($1::int[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bytea[], $7::uuid[],
    $8::bool[], $9::text[], $10::bool[], $11::timestamptz[], $12::text[]) with ordinality
    as w (tenant_id, branch_id, epoch, base, head, chain, append_id, has_view, status, needs_work, wake_at, views, n)
), new_claims as (
  select * from unnest($23::bigint[], $24::text[], $25::bigint[]) as c (n, claim, seq)
), taken as (
  select w.n from new_claims c join wanted w using (n)
  join troupe.claims k on k.tenant_id = w.tenant_id and k.branch_id = w.branch_id and k.claim = c.claim
), moved as (
  update troupe.sessions s
  set head_seq = w.head, chain = w.chain, last_append = w.append_id, updated_at = now(), deaths = 0,
      status = case when w.has_view then w.status::troupe.session_status else s.status end,
      needs_work = case when w.has_view then w.needs_work else s.needs_work or (w.needs_work and s.status = 'idle') end,
      wake_at = case when w.has_view then w.wake_at else s.wake_at end,
      views = case when w.has_view then w.views else s.views end
  from wanted w
  where s.tenant_id = w.tenant_id and s.branch_id = w.branch_id and s.epoch = w.epoch and s.head_seq = w.base
    and w.n not in (select n from taken)
  returning w.n, s.tenant_id, s.branch_id
), written as (
  insert into troupe.events
    (tenant_id, branch_id, seq, nth, type, version, command, at, run_id, chain, payload)
  select m.tenant_id, m.branch_id, e.seq, e.nth, e.type::troupe.event_type, e.version, e.command, e.at, e.run_id,
    e.chain, e.payload
  from unnest($13::bigint[], $14::bigint[], $15::smallint[], $16::text[], $17::smallint[], $18::smallint[],
    $19::timestamptz[], $20::uuid[], $21::bytea[], $22::text[])
    as e (n, seq, nth, type, version, command, at, run_id, chain, payload)
  join moved m using (n)
), claimed as (
  insert into troupe.claims (tenant_id, branch_id, claim, seq)
  select m.tenant_id, m.branch_id, c.claim, c.seq from new_claims c join moved m using (n)
), blobs as (
  select m.tenant_id, m.branch_id, b.hash, b.content
  from unnest($26::bigint[], $27::bytea[], $28::bytea[]) as b (n, hash, content) join moved m using (n)
), stored as (
  insert into troupe.blobs (tenant_id, hash, content)
  select distinct on (tenant_id, hash) tenant_id, hash, content from blobs where content is not null
  order by tenant_id, hash
  on conflict on constraint content_is_stored_once do nothing
), used as (
  insert into troupe.blob_uses (tenant_id, hash, branch_id)
  select distinct tenant_id, hash, branch_id from blobs
  on conflict on constraint blob_is_used_once_a_branch do nothing
)
select n from moved)"};

const statement look_up_heads = {"look_up_heads", R"(
select s.epoch, s.head_seq, encode(s.chain, 'hex'), s.last_append,
  (select (extract(epoch from e.at) * 1000000)::bigint from troupe.events e
   where e.tenant_id = w.tenant_id and e.branch_id = w.branch_id and e.seq = s.head_seq)
from unnest($1::int[], $2::bigint[]) with ordinality as w (tenant_id, branch_id, n)
left join troupe.sessions s on s.tenant_id = w.tenant_id and s.branch_id = w.branch_id
order by w.n)"};

const statement look_up_claims = {"look_up_claims", R"(
select w.n, k.claim, k.seq
from unnest($1::bigint[], $2::int[], $3::bigint[], $4::text[]) as w (n, tenant_id, branch_id, claim)
join troupe.claims k on k.tenant_id = w.tenant_id and k.branch_id = w.branch_id and k.claim = w.claim
order by w.n, k.seq)"};

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

const statement create_session = {"create_session", R"(
with made as (
  insert into troupe.branches (tenant_id)
  select $1::int where not exists (select from troupe.sessions where tenant_id = $1::int and session_id = $2::text)
  returning branch_id
)
insert into troupe.sessions (tenant_id, branch_id, session_id, node_id, epoch)
select $1::int, branch_id, $2::text, $3::uuid, 1 from made
returning branch_id)"};

const statement find_owner = {"find_owner", R"(
select s.branch_id, s.epoch, s.node_id, n.name, n.boot_id, n.pid, n.start_ticks, n.lease_until > clock_timestamp(),
  to_char(n.lease_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
from troupe.sessions s left join troupe.nodes n using (node_id)
where s.tenant_id = $1 and s.session_id = $2)"};

const statement take_session = {"take_session", R"(
update troupe.sessions set epoch = epoch + 1, node_id = $4::uuid, due_at = null, updated_at = now(),
  deaths = deaths + case when node_id = $4::uuid then 0 else 1 end
where tenant_id = $1 and session_id = $2 and epoch = $3
returning epoch)"};

const statement release_session = {"release_session", R"(
update troupe.sessions
set node_id = null, epoch = epoch + 1, due_at = case when needs_work then now() else wake_at end,
  deaths = greatest(deaths - 1, 0)
where tenant_id = $1 and branch_id = $2 and epoch = $3 and node_id is not null)"};

// The columns of a row, the same wherever one is read.
#define SESSION_ROW                                                                                          \
  "s.tenant_id, s.branch_id, s.session_id, s.head_seq, s.epoch, n.name, s.status, s.needs_work, "            \
  "(extract(epoch from s.wake_at) * 1000000)::bigint, s.views, s.deaths, "                                   \
  "(extract(epoch from s.created_at) * 1000000)::bigint, (extract(epoch from s.updated_at) * "               \
  "1000000)::bigint "                                                                                        \
  "from troupe.sessions s left join troupe.nodes n using (node_id) "

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

// A branch reads its own events above its cut and its parent's up to it, and so on up.
#define LINE_OF_BRANCHES                                                                                     \
  "with recursive line (branch_id, parent_id, low, high) as ("                                               \
  "  select branch_id, parent_id, coalesce(cut_seq, 0), 9223372036854775807"                                 \
  "  from troupe.branches where tenant_id = $1 and branch_id = $2 "                                          \
  "  union all"                                                                                              \
  "  select p.branch_id, p.parent_id, coalesce(p.cut_seq, 0), least(l.low, l.high)"                          \
  "  from line l join troupe.branches p on p.tenant_id = $1 and p.branch_id = l.parent_id) "
#define EVENT_COLUMNS                                                                                        \
  "select e.seq, e.nth, e.command, e.type, e.version, (extract(epoch from e.at) * 1000000)::bigint, "        \
  "e.run_id, e.payload "

const statement read_events = {"read_events", LINE_OF_BRANCHES EVENT_COLUMNS R"(
from line l cross join lateral (
  select * from troupe.events o
  where o.tenant_id = $1 and o.branch_id = l.branch_id and o.seq > greatest(l.low, $3::bigint) and o.seq <= l.high
    and ($5::text[] = '{}' or o.type = any ($5::text[]::troupe.event_type[]))
  order by o.seq limit $4
) e
order by e.seq limit $4)"};

const statement read_these_events = {"read_these_events", LINE_OF_BRANCHES EVENT_COLUMNS R"(
from line l join troupe.events e on e.tenant_id = $1 and e.branch_id = l.branch_id and e.seq > l.low and e.seq <= l.high
where e.seq = any ($3::bigint[])
order by e.seq)"};

const statement blob_of_session = {"blob_of_session", LINE_OF_BRANCHES R"(
select content from troupe.blobs where tenant_id = $1 and hash = $3::bytea
  and exists (select from line l join troupe.blob_uses u on u.tenant_id = $1 and u.branch_id = l.branch_id and u.hash = $3::bytea))"};

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
where s.tenant_id = $1 and s.branch_id = $2 and s.seq < m.seq)"};

const statement erase_session = {"erase_session", "select troupe.erase_session($1::int, $2::text)"};

const statement read_chain = {
    "read_chain", "select encode(chain, 'hex') from troupe.sessions where tenant_id = $1 and branch_id = $2"};

} // namespace troupe::persistence::sql
