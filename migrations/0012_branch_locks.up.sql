-- To make a session locks no row that others need, but a fork's parent. A foreign key locks what it refers to, at each
-- insert: the tenant's one row for every session that is made, and the branch that the same statement has made.
alter table troupe.sessions drop constraint session_has_a_branch;
alter table troupe.branches drop constraint branch_has_a_tenant;

create function troupe.refuse_to_delete_a_tenant() returns trigger language plpgsql as $$
begin
  raise exception 'a tenant is disabled, not deleted: its logs name it' using errcode = 'restrict_violation';
end $$;
create trigger tenants_stay before delete on troupe.tenants
  for each row execute function troupe.refuse_to_delete_a_tenant();

-- When its session was erased, of a branch that stays for its forks: by this a fork that waited for that learns of it.
alter table troupe.branches add column erased_at timestamptz;

-- As in 0011, but that what stays is marked.
-- {events, claims, snapshots, contents, events that forks keep}
create or replace function troupe.prune_branch(of_tenant integer, of_branch bigint) returns bigint[] language plpgsql as $$
declare
  above bigint;
  needed bigint;
  many bigint;
  kept bytea[];
  gone bigint[] := '{0, 0, 0, 0, 0}';
begin
  while of_branch is not null loop
    perform from troupe.branches where tenant_id = of_tenant and branch_id = of_branch for update;
    exit when exists (select from troupe.sessions where tenant_id = of_tenant and branch_id = of_branch);
    select max(cut_seq) into needed from troupe.branches where tenant_id = of_tenant and parent_id = of_branch;
    delete from troupe.events where tenant_id = of_tenant and branch_id = of_branch and seq > coalesce(needed, 0);
    get diagnostics many = row_count;
    gone[1] := gone[1] + many;
    delete from troupe.claims where tenant_id = of_tenant and branch_id = of_branch and seq > coalesce(needed, 0);
    get diagnostics many = row_count;
    gone[2] := gone[2] + many;
    delete from troupe.snapshots where tenant_id = of_tenant and branch_id = of_branch and seq > coalesce(needed, 0);
    get diagnostics many = row_count;
    gone[3] := gone[3] + many;
    kept := troupe.hashes_in(coalesce(troupe.carried_by(of_tenant, of_branch), ''));
    with unused as (
      delete from troupe.blob_uses u where u.tenant_id = of_tenant and u.branch_id = of_branch
        and (needed is null or not exists (
          select from troupe.events e where e.tenant_id = of_tenant and e.branch_id = of_branch
            and position(encode(u.hash, 'hex') in e.payload) > 0)
          and not u.hash = any (kept))
      returning u.hash
    )
    delete from troupe.blobs b using unused u
    where b.tenant_id = of_tenant and b.hash = u.hash
      and not exists (select from troupe.blob_uses o
                      where o.tenant_id = of_tenant and o.hash = b.hash and o.branch_id <> of_branch);
    get diagnostics many = row_count;
    gone[4] := gone[4] + many;
    if needed is not null then
      update troupe.branches set erased_at = now()
      where tenant_id = of_tenant and branch_id = of_branch and erased_at is null;
      select gone[5] + count(*) into many from troupe.events where tenant_id = of_tenant and branch_id = of_branch;
      gone[5] := many;
      -- nobody reads it further than that: what it inherited beyond is needed no more
      update troupe.branches set cut_seq = needed
      where tenant_id = of_tenant and branch_id = of_branch and cut_seq > needed
      returning parent_id into above;
      exit when not found;
      of_branch := above;
      continue;
    end if;
    delete from troupe.branch_keys where tenant_id = of_tenant and branch_id = of_branch;
    delete from troupe.branches where tenant_id = of_tenant and branch_id = of_branch returning parent_id into above;
    of_branch := above;
  end loop;
  return gone;
end $$;
