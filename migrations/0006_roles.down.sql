-- The roles themselves stay: they belong to the server, other databases may use them.
do $$
declare
  of_tenants text;
begin
  for of_tenants in
    select c.relname from pg_class c where c.relnamespace = 'troupe'::regnamespace and c.relrowsecurity
  loop
    execute format('drop policy if exists writer_sees_all on troupe.%I', of_tenants);
    execute format('drop policy if exists reader_sees_one_tenant on troupe.%I', of_tenants);
    execute format('alter table troupe.%I no force row level security', of_tenants);
    execute format('alter table troupe.%I disable row level security', of_tenants);
  end loop;
end $$;
drop function troupe.roles_missing();
drop function troupe.set_up_roles();
drop function troupe.reading_tenant();
