-- Retention: of a session that keeps its context alone, the events before what it goes on from are removed.

-- The branches that a fork inherits from, and up to where.
create function troupe.inherited_from(of_tenant integer, of_branch bigint)
returns table (branch_id bigint, high bigint) language sql stable as $$
  with recursive up (branch_id, high) as (
    select b.parent_id, b.cut_seq from troupe.branches b
    where b.tenant_id = of_tenant and b.branch_id = of_branch and b.parent_id is not null
    union all
    select b.parent_id, least(b.cut_seq, u.high) from up u cross join lateral (
      select o.parent_id, o.cut_seq from troupe.branches o
      where o.tenant_id = of_tenant and o.branch_id = u.branch_id limit 1
    ) b where b.parent_id is not null
  )
  select branch_id, high from up
$$;

-- What a branch uses is looked for when it is erased or shortened.
create index blob_uses_of_a_branch on troupe.blob_uses (tenant_id, branch_id, hash);

-- What a log goes on from whose beginning was removed, as text: it refers to content that no event does. Null: nothing.
create function troupe.carried_by(of_tenant integer, of_branch bigint) returns text language sql stable as $$
  select convert_from(c.content, 'UTF8')
  from troupe.branches b
  join troupe.events e on e.tenant_id = b.tenant_id and e.branch_id = b.branch_id and e.seq = b.trimmed_through + 1
    and e.type = 'context.trimmed'
  join troupe.blobs c on c.tenant_id = b.tenant_id
    and c.hash = decode(substring(e.payload from '"state":\{"blob":"sha256:([0-9a-f]{64})"'), 'hex')
  where b.tenant_id = of_tenant and b.branch_id = of_branch and b.trimmed_through > 0
$$;

-- The content that a text may name.
create function troupe.hashes_in(of_text text) returns bytea[] language sql immutable as $$
  select coalesce(array_agg(distinct decode(m[1], 'hex')), '{}') from regexp_matches(of_text, 'sha256:([0-9a-f]{64})', 'g') m
$$;

-- Gives how many events went; null if the session isn't held under that epoch or ends at `through` or before, -1 if a
-- fork reads what would go. What the event behind goes on from needs nothing more of what was inherited: a fork is cut
-- off from its parent, whose claims, and whose content as far as it is needed, become its own.
create function troupe.remove_through(of_tenant integer, of_branch bigint, of_epoch bigint, through bigint)
returns bigint language plpgsql as $$
declare
  carried text;
  needed bytea[];
  above bigint;
  gone bigint;
begin
  perform from troupe.sessions
  where tenant_id = of_tenant and branch_id = of_branch and epoch = of_epoch and head_seq > through for update;
  if not found then
    return null;
  end if;
  select parent_id into above from troupe.branches where tenant_id = of_tenant and branch_id = of_branch for update;
  if exists (select from troupe.branches where tenant_id = of_tenant and parent_id = of_branch) then
    return -1;
  end if;
  update troupe.branches set trimmed_through = through
  where tenant_id = of_tenant and branch_id = of_branch and trimmed_through < through;
  carried := troupe.carried_by(of_tenant, of_branch);
  if carried is null then
    raise exception 'event % of branch % is nothing to go on from', through + 1, of_branch using errcode = 'data_corrupted';
  end if;
  needed := troupe.hashes_in(carried);

  if above is not null then
    insert into troupe.claims (tenant_id, branch_id, claim, seq)
    select of_tenant, of_branch, k.claim, min(k.seq)
    from troupe.inherited_from(of_tenant, of_branch) i
    join troupe.claims k on k.tenant_id = of_tenant and k.branch_id = i.branch_id and k.seq <= i.high
    group by k.claim
    on conflict on constraint claim_is_taken_once do nothing;
    insert into troupe.blob_uses (tenant_id, hash, branch_id)
    select distinct of_tenant, u.hash, of_branch
    from troupe.inherited_from(of_tenant, of_branch) i
    join troupe.blob_uses u on u.tenant_id = of_tenant and u.branch_id = i.branch_id
    where u.hash = any (needed)
    on conflict on constraint blob_is_used_once_a_branch do nothing;
  end if;

  delete from troupe.events where tenant_id = of_tenant and branch_id = of_branch and seq <= through;
  get diagnostics gone = row_count;
  delete from troupe.snapshots where tenant_id = of_tenant and branch_id = of_branch and seq <= through;
  with unused as (
    delete from troupe.blob_uses u
    where u.tenant_id = of_tenant and u.branch_id = of_branch
      and not u.hash = any (needed)
      and not exists (
        select from troupe.events e where e.tenant_id = of_tenant and e.branch_id = of_branch
          and position(encode(u.hash, 'hex') in e.payload) > 0)
    returning u.hash
  )
  delete from troupe.blobs b using unused u
  where b.tenant_id = of_tenant and b.hash = u.hash
    and not exists (select from troupe.blob_uses o
                    where o.tenant_id = of_tenant and o.hash = b.hash and o.branch_id <> of_branch);
  if above is not null then
    update troupe.branches set parent_id = null, cut_seq = null where tenant_id = of_tenant and branch_id = of_branch;
    perform troupe.prune_branch(of_tenant, above);
  end if;
  return gone;
end $$;

-- As in 0010, but that what a log goes on from needs its content, too.
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
