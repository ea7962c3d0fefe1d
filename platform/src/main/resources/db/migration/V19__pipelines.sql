-- Pipelines: what the boxes of a chat platform's pipeline are made of.
create table pipeline (
  tenant_id  text not null references tenant,
  id         text not null,
  definition jsonb not null,
  env_sealed bytea,
  revision   integer not null default 1 check (revision > 0),
  created_at timestamptz not null default clock_timestamp(),
  changed_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, id)
);
