-- Nodes: the processes that share this database, each with one lease for all its sessions. The
-- lease is judged by the database's clock; boot, pid and start time tell a process that is gone.
create table troupe.nodes (
  node_id     uuid not null,
  name        text not null,
  address     text,  -- where other nodes reach it
  boot_id     text not null,
  pid         bigint not null,
  start_ticks bigint not null,
  started_at  timestamptz not null default now(),
  lease_until timestamptz not null,
  constraint nodes_pkey primary key (node_id)
) with (fillfactor = 50);
