// The statements that make, name, shorten and erase sessions.
#include "persistence/sql.hpp"

namespace troupe::persistence::sql {

const statement create_session = {"create_session", R"(
with made as (
  insert into troupe.branches (tenant_id, trimmed_through)
  select $1::int, $4::bigint
  where not exists (select from troupe.sessions where tenant_id = $1::int and session_id = $2::text)
  returning branch_id
)
insert into troupe.sessions (tenant_id, branch_id, session_id, node_id, epoch, head_seq, chain)
select $1::int, branch_id, $2::text, $3::uuid, 1, $4::bigint, decode($5::text, 'hex') from made
returning branch_id)"};

const statement rename_session = {"rename_session", R"(
update troupe.sessions
set session_id = $4::text, status = $5::troupe.session_status, needs_work = $6::boolean,
  wake_at = 'epoch'::timestamptz + $7::bigint * interval '1 microsecond', views = $8::text
where tenant_id = $1 and branch_id = $2 and epoch = $3
returning branch_id)"};

const statement remove_through = {
    "remove_through", "select troupe.remove_through($1::int, $2::bigint, $3::bigint, $4::bigint)"};

const statement erase_session = {"erase_session", R"(
select gone[1], gone[2], gone[3], gone[4], gone[5]
from troupe.erase_session($1::int, $2::text, $3::bigint, $4::bigint) as gone)"};

// Those at the end of the longest line of forks first: each can be erased before what it was forked from.
const statement forks_of_session = {"forks_of_session", R"(
with recursive below (branch_id, depth) as (
  select $2::bigint, 0
  union all
  select b.branch_id, d.depth + 1 from below d cross join lateral (
    select o.branch_id from troupe.branches o where o.tenant_id = $1::int and o.parent_id = d.branch_id offset 0
  ) b
)
select s.session_id from below d cross join lateral (
  select o.session_id from troupe.sessions o where o.tenant_id = $1::int and o.branch_id = d.branch_id
    and o.head_seq > (select b.cut_seq from troupe.branches b where b.tenant_id = $1::int and b.branch_id = d.branch_id)
  limit 1
) s
where d.depth > 0
order by d.depth desc, s.session_id)"};

} // namespace troupe::persistence::sql
