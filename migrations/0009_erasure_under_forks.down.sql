-- As in 0007.
create or replace function troupe.prune_branch(of_tenant integer, of_branch bigint) returns void language plpgsql as $$
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
    exit when needed is not null;
    with unused as (
      delete from troupe.blob_uses where tenant_id = of_tenant and branch_id = of_branch returning hash
    )
    delete from troupe.blobs b using unused u
    where b.tenant_id = of_tenant and b.hash = u.hash
      and not exists (select from troupe.blob_uses o
                      where o.tenant_id = of_tenant and o.hash = b.hash and o.branch_id <> of_branch);
    delete from troupe.branch_keys where tenant_id = of_tenant and branch_id = of_branch;
    delete from troupe.branches where tenant_id = of_tenant and branch_id = of_branch returning parent_id into above;
    of_branch := above;
  end loop;
end $$;
