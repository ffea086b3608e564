-- As in 0009 and 0007.
drop function troupe.erase_session(integer, text, bigint, bigint);
drop function troupe.prune_branch(integer, bigint);

create function troupe.prune_branch(of_tenant integer, of_branch bigint) returns void language plpgsql as $$
declare
  above bigint;
  needed bigint;
begin
  while of_branch is not null loop
    perform from troupe.branches where tenant_id = of_tenant and branch_id = of_branch for update;
    exit when exists (select from troupe.sessions where tenant_id = of_tenant and branch_id = of_branch);
    select max(cut_seq) into needed from troupe.branches where tenant_id = of_tenant and parent_id = of_branch;
    delete from troupe.events where tenant_id = of_tenant and branch_id = of_branch and seq > coalesce(needed, 0);
    delete from troupe.claims where tenant_id = of_tenant and branch_id = of_branch and seq > coalesce(needed, 0);
    delete from troupe.snapshots where tenant_id = of_tenant and branch_id = of_branch and seq > coalesce(needed, 0);
    with unused as (
      delete from troupe.blob_uses u where u.tenant_id = of_tenant and u.branch_id = of_branch
        and (needed is null or not exists (
          select from troupe.events e where e.tenant_id = of_tenant and e.branch_id = of_branch
            and position(encode(u.hash, 'hex') in e.payload) > 0))
      returning u.hash
    )
    delete from troupe.blobs b using unused u
    where b.tenant_id = of_tenant and b.hash = u.hash
      and not exists (select from troupe.blob_uses o
                      where o.tenant_id = of_tenant and o.hash = b.hash and o.branch_id <> of_branch);
    exit when needed is not null;
    delete from troupe.branch_keys where tenant_id = of_tenant and branch_id = of_branch;
    delete from troupe.branches where tenant_id = of_tenant and branch_id = of_branch returning parent_id into above;
    of_branch := above;
  end loop;
end $$;

-- True if there was such a session. Appends under way find no row and are fenced.
create function troupe.erase_session(of_tenant integer, of_session text) returns boolean language plpgsql as $$
declare
  gone bigint;
begin
  delete from troupe.sessions where tenant_id = of_tenant and session_id = of_session returning branch_id into gone;
  perform troupe.prune_branch(of_tenant, gone);
  return gone is not null;
end $$;
