-- The log as people read it: `select * from troupe.event_log where session = 'demo'`.
create view troupe.event_log with (security_invoker = true) as
with recursive line (tenant_id, session_id, branch_id, parent_id, low, high) as (
  select s.tenant_id, s.session_id, s.branch_id, b.parent_id, coalesce(b.cut_seq, 0), s.head_seq
  from troupe.sessions s join troupe.branches b using (tenant_id, branch_id)
  union all
  select l.tenant_id, l.session_id, p.branch_id, p.parent_id, coalesce(p.cut_seq, 0), least(l.low, l.high)
  from line l join troupe.branches p on p.tenant_id = l.tenant_id and p.branch_id = l.parent_id
)
select t.name as tenant, l.session_id as session, e.seq, e.seq - e.nth as append_seq, e.type,
       e.version, e.command, e.at, e.run_id, e.payload, e.key_no, encode(e.chain, 'hex') as chain
from line l
join troupe.tenants t using (tenant_id)
join troupe.events e on e.tenant_id = l.tenant_id and e.branch_id = l.branch_id
  and e.seq > l.low and e.seq <= l.high;
