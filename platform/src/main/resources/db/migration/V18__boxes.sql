-- Boxes: one sandbox for each scope of a tenant. Names of scopes may be long, so their hashes are compared.
create table box (
  id         text primary key check (id ~ '^box_[a-z][a-z0-9]{19}$'),
  tenant_id  text not null references tenant,
  scope_name text not null,
  scope_hash bytea not null check (octet_length(scope_hash) = 32),
  scope      jsonb not null,
  sandbox_id text not null references sandbox,
  spec       jsonb not null,
  env_sealed bytea,
  persistent boolean not null,
  -- How many sandboxes it has had.
  made       integer not null default 1 check (made > 0),
  used_at    timestamptz not null default clock_timestamp(),
  created_at timestamptz not null default clock_timestamp(),
  unique (tenant_id, scope_hash)
);
create unique index box_sandbox on box (sandbox_id);
create index box_created on box (tenant_id, created_at desc, id desc);
