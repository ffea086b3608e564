-- Roles: the writer sees every tenant (journal, leases, fleet), the reader only the one that its
-- transaction names. Neither owns a table, so forced policies hold for both.

create function troupe.reading_tenant() returns integer language sql stable as
$$ select nullif(current_setting('troupe.tenant', true), '')::integer $$;

-- Makes the roles, their grants and the policies; may be called again at any time.
create function troupe.set_up_roles() returns void language plpgsql as $$
declare
  role_name text;
  of_tenants text;
begin
  foreach role_name in array array['troupe_writer', 'troupe_reader'] loop
    begin
      if to_regrole(role_name) is null then
        execute format('create role %I nologin', role_name);
      end if;
    exception when unique_violation or duplicate_object then
      null;  -- another database of this server made it at the same moment
    end;
    begin
      -- also where the maker is a member already: since PostgreSQL 16 that alone lets nobody set the role
      execute format('grant %I to %I', role_name, session_user);
    exception when insufficient_privilege then
      if not pg_has_role(session_user, role_name, 'member') then
        raise;
      end if;
    end;
  end loop;

  grant usage on schema troupe to troupe_writer, troupe_reader;
  grant select on troupe.migrations to troupe_writer, troupe_reader;
  grant select, insert, update on troupe.tenants to troupe_writer;
  -- What is in the log is never changed, only erased.
  grant select, insert, delete on troupe.events, troupe.claims, troupe.blobs, troupe.blob_uses to troupe_writer;
  grant select, insert, update, delete on troupe.sessions, troupe.branches, troupe.snapshots, troupe.nodes,
    troupe.tenant_keys, troupe.branch_keys, troupe.api_keys to troupe_writer;
  grant select on troupe.event_log to troupe_writer, troupe_reader;
  grant select on troupe.tenants, troupe.branches, troupe.sessions, troupe.events, troupe.claims, troupe.blobs,
    troupe.blob_uses, troupe.snapshots to troupe_reader;
  grant select (node_id, name, lease_until) on troupe.nodes to troupe_reader;

  for of_tenants in
    select c.relname from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'troupe'::regnamespace and c.relkind = 'r' and a.attname = 'tenant_id'
  loop
    execute format('alter table troupe.%I enable row level security', of_tenants);
    execute format('alter table troupe.%I force row level security', of_tenants);
    execute format('drop policy if exists writer_sees_all on troupe.%I', of_tenants);
    execute format('create policy writer_sees_all on troupe.%I to troupe_writer using (true)', of_tenants);
    execute format('drop policy if exists reader_sees_one_tenant on troupe.%I', of_tenants);
    execute format('create policy reader_sees_one_tenant on troupe.%I for select to troupe_reader '
                   'using (tenant_id = (select troupe.reading_tenant()))', of_tenants);
  end loop;
end $$;

-- Null when the roles are in force for this login, else the SQL that an administrator runs.
create function troupe.roles_missing() returns text language sql stable as $$
  select case
    when to_regrole('troupe_writer') is not null and to_regrole('troupe_reader') is not null
      and pg_has_role(session_user, 'troupe_writer', 'member') and pg_has_role(session_user, 'troupe_reader', 'member')
      and (select relforcerowsecurity from pg_class where oid = 'troupe.events'::regclass)
    then null
    else format('create role troupe_writer nologin; create role troupe_reader nologin; '
                'grant troupe_writer, troupe_reader to %I; select troupe.set_up_roles();', session_user)
  end
$$;

-- Without the right to make roles the schema serves one tenant, which needs no policies.
do $$ begin
  perform troupe.set_up_roles();
exception when insufficient_privilege then
  raise notice 'roles could not be made: one tenant only; select troupe.roles_missing() says what to run';
end $$;
