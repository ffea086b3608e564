// The statements that append (docs/data.md, "The fenced append"), one a batch. `moved` are the sessions whose
// epoch and head still match and whose claims are new; everything else is inserted for those alone. What a
// statement doesn't return was refused. Every write carries the head that it goes on from, so that of two
// that race one waits for the row and then finds that it has moved.
//
// A plan is made once, perhaps while the tables are empty, so it has to be right for any size: each row and
// each claim is found by its key in a subquery of its own, which nothing can turn into a join that reads the
// whole table. What a fork's parents had claimed up to their cuts is claimed in it. Events are unnested in
// the select list, which passes them on one by one.
#include "persistence/sql.hpp"

namespace troupe::persistence::sql {

#define MOVED(AND_UNCLAIMED)                                                                                 \
  "moved as ("                                                                                               \
  "  update troupe.sessions s"                                                                               \
  "  set head_seq = w.head, chain = w.chain, last_append = w.append_id, updated_at = now(), deaths = 0,"     \
  "    status = case when w.has_view then w.status::troupe.session_status else s.status end,"                \
  "    needs_work = case when w.has_view then w.needs_work"                                                  \
  "      else s.needs_work or (w.needs_work and s.status = 'idle') end,"                                     \
  "    wake_at = case when w.has_view then w.wake_at else s.wake_at end,"                                    \
  "    views = case when w.has_view then w.views else s.views end"                                           \
  "  from unnest($1::int[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bytea[],"            \
  "    $7::uuid[], $8::bool[], $9::text[], $10::bool[], $11::timestamptz[], $12::text[]) with ordinality"    \
  "    as w (tenant_id, branch_id, epoch, base, head, chain, append_id, has_view, status, needs_work,"       \
  "      wake_at, views, n)"                                                                                 \
  "  where s.ctid = (select o.ctid from troupe.sessions o"                                                   \
  "      where o.tenant_id = w.tenant_id and o.branch_id = w.branch_id)"                                     \
  "    and s.epoch = w.epoch and s.head_seq = w.base" AND_UNCLAIMED                                          \
  "  returning w.n, s.tenant_id, s.branch_id)"

#define WRITTEN                                                                                              \
  ", written as ("                                                                                           \
  "  insert into troupe.events"                                                                              \
  "    (tenant_id, branch_id, seq, nth, type, version, command, at, run_id, chain, payload)"                 \
  "  select m.tenant_id, m.branch_id, e.seq, e.nth, e.type::troupe.event_type, e.version, e.command, e.at,"  \
  "    e.run_id, e.chain, e.payload"                                                                         \
  "  from (select unnest($13::bigint[]) as n, unnest($14::bigint[]) as seq, unnest($15::smallint[]) as nth," \
  "      unnest($16::text[]) as type, unnest($17::smallint[]) as version,"                                   \
  "      unnest($18::smallint[]) as command,"                                                                \
  "      unnest($19::timestamptz[]) as at, unnest($20::uuid[]) as run_id, unnest($21::bytea[]) as chain,"    \
  "      unnest($22::text[]) as payload"                                                                     \
  "    ) e join moved m using (n))"

#define RETURNED " select n from moved"

// For a batch without claims and content: two of a turn's three appends. What isn't in a statement isn't set
// up for each run of it, which is a quarter of the server's time for a lone append.
const statement append_events = {"append_events", "with " MOVED("") WRITTEN RETURNED};

// The claims and the content that a batch brings.
#define NEW_CLAIMS                                                                                           \
  "with new_claims as ("                                                                                     \
  "  select * from unnest($23::bigint[], $24::text[], $25::bigint[]) as c (n, claim, seq))"

#define CLAIMED_AND_STORED                                                                                   \
  ", claimed as ( "                                                                                          \
  "  insert into troupe.claims (tenant_id, branch_id, claim, seq) "                                          \
  "  select m.tenant_id, m.branch_id, c.claim, c.seq from new_claims c join moved m using (n) "              \
  "), blobs as ( "                                                                                           \
  "  select m.tenant_id, m.branch_id, b.hash, b.content "                                                    \
  "  from unnest($26::bigint[], $27::bytea[], $28::bytea[]) as b (n, hash, content) join moved m using (n) " \
  "), stored as ( "                                                                                          \
  "  insert into troupe.blobs (tenant_id, hash, content) "                                                   \
  "  select distinct on (tenant_id, hash) tenant_id, hash, content from blobs where content is not null "    \
  "  order by tenant_id, hash "                                                                              \
  "  on conflict on constraint content_is_stored_once do nothing "                                           \
  "), used as ( "                                                                                            \
  "  insert into troupe.blob_uses (tenant_id, hash, branch_id) "                                             \
  "  select distinct tenant_id, hash, branch_id from blobs "                                                 \
  "  on conflict on constraint blob_is_used_once_a_branch do nothing "                                       \
  ") "

const statement append_events_and_content = {"append_events_and_content", NEW_CLAIMS R"(
, taken as (
  select c.n from new_claims c
  cross join lateral (
    select from troupe.claims k
    where k.tenant_id = ($1::int[])[c.n] and k.branch_id = ($2::bigint[])[c.n] and k.claim = c.claim limit 1
  ) k
  union all
  select c.n from new_claims c
  cross join lateral (
    with recursive above (branch_id, high) as (
      select b.parent_id, b.cut_seq from (
        select o.parent_id, o.cut_seq from troupe.branches o
        where o.tenant_id = ($1::int[])[c.n] and o.branch_id = ($2::bigint[])[c.n] limit 1
      ) b where b.parent_id is not null
      union all
      select b.parent_id, least(b.cut_seq, a.high) from above a cross join lateral (
        select o.parent_id, o.cut_seq from troupe.branches o
        where o.tenant_id = ($1::int[])[c.n] and o.branch_id = a.branch_id limit 1
      ) b where b.parent_id is not null
    )
    select from above a cross join lateral (
      select from troupe.claims k
      where k.tenant_id = ($1::int[])[c.n] and k.branch_id = a.branch_id and k.claim = c.claim and k.seq <= a.high
      limit 1
    ) k
    limit 1
  ) inherited
), )" MOVED(" and w.n not in (select n from taken)") WRITTEN CLAIMED_AND_STORED RETURNED};

// A batch of one, whose session is made with it: $2 and $4 are where it is cut off from its parent, $29 the
// ids of both. Nobody erases the parent meanwhile, or removes what the fork inherits: both hold its branch's
// row, as this does until the branch that needs it is there.
const statement fork_session = {"fork_session",
    NEW_CLAIMS R"(
, parent as (
  select b.branch_id from troupe.branches b
  where b.tenant_id = ($1::int[])[1] and b.branch_id = ($2::bigint[])[1]
    and b.trimmed_through < ($4::bigint[])[1] and b.erased_at is null
    and exists (select from troupe.sessions s where s.tenant_id = b.tenant_id and s.branch_id = b.branch_id)
  for key share of b
), made as (
  insert into troupe.branches (tenant_id, parent_id, cut_seq)
  select ($1::int[])[1], branch_id, ($4::bigint[])[1] from parent
  where ($8::bool[])[1] and not exists (
    select from troupe.sessions where tenant_id = ($1::int[])[1] and session_id = ($29::text[])[1])
  returning branch_id
), moved as (
  insert into troupe.sessions (tenant_id, branch_id, session_id, parent_id, epoch, head_seq, chain, last_append,
    status, needs_work, wake_at, views)
  select ($1::int[])[1], branch_id, ($29::text[])[1], ($29::text[])[2], ($3::bigint[])[1], ($5::bigint[])[1],
    ($6::bytea[])[1], ($7::uuid[])[1], ($9::text[])[1]::troupe.session_status, ($10::bool[])[1],
    ($11::timestamptz[])[1], ($12::text[])[1]
  from made
  returning 1::bigint as n, tenant_id, branch_id, created_at
))" WRITTEN CLAIMED_AND_STORED
               " select branch_id, (extract(epoch from created_at) * 1000000)::bigint from moved"};

#undef NEW_CLAIMS
#undef CLAIMED_AND_STORED
#undef MOVED
#undef WRITTEN
#undef RETURNED

} // namespace troupe::persistence::sql
