alter table troupe.sessions
  drop constraint session_id_is_an_id,
  add constraint session_id_is_an_id check (session_id ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$');
