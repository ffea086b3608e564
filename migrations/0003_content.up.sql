-- What stands beside the events: claims, stored content, snapshots.

-- Message ids as they are and idempotency keys as `key:KEY`, which no message id can be (ids hold no
-- colon); each is taken once in its session, for ever. A fork begins with a copy of its parent's
-- claims up to the cut.
create table troupe.claims (
  tenant_id integer not null,
  branch_id bigint not null,
  seq       bigint not null,  -- the first event of the append that took it
  claim     text not null,
  constraint claim_is_taken_once primary key (tenant_id, branch_id, claim)
);

-- A big string, once by content within a tenant. `hash` is SHA-256 of `content`.
create table troupe.blobs (
  tenant_id integer not null,
  hash      bytea not null,
  content   bytea not null,
  constraint content_is_stored_once primary key (tenant_id, hash),
  constraint blob_hash_is_sha256 check (octet_length(hash) = 32)
);

-- Which branches refer to which content: what may be read with a session, and what goes with the
-- last of them. The content that a branch uses is found in the payloads of its events.
create table troupe.blob_uses (
  tenant_id integer not null,
  hash      bytea not null,
  branch_id bigint not null,
  constraint blob_is_used_once_a_branch primary key (tenant_id, hash, branch_id),
  constraint used_blob_is_stored foreign key (tenant_id, hash) references troupe.blobs
);

-- Folded states, never trusted over the log, thrown away at any time.
create table troupe.snapshots (
  tenant_id  integer not null,
  branch_id  bigint not null,
  seq        bigint not null,   -- the event that it is as of
  version    integer not null,  -- of the snapshot's form
  chain      bytea not null,    -- at `seq`: a snapshot of another log is none of ours
  content    bytea not null,
  created_at timestamptz not null default now(),
  constraint snapshots_pkey primary key (tenant_id, branch_id, seq, version)
);
