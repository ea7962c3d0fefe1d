-- What a workspace of a chat platform may have, as that platform says from outside.
create table admission (
  tenant_id  text not null references tenant,
  instance   text not null,
  workspace  text not null,
  -- The newest placement that was seen: older ones are refused.
  generation bigint not null default 0 check (generation >= 0),
  -- The highest revision of a grant or a revocation; 0 where nothing was granted yet.
  revision   bigint not null default 0 check (revision >= 0),
  granted    boolean not null default false,
  expires_at timestamptz,
  max_sessions          integer check (max_sessions >= 0),
  max_managed_processes integer check (max_managed_processes >= 0),
  primary key (tenant_id, instance, workspace),
  check (not granted or (revision > 0 and expires_at is not null and max_sessions is not null and max_managed_processes is not null))
);
-- The managed processes of such workspaces. They are counted here; whether one still runs its boxd says.
create table admitted_process (
  sandbox_id text not null references sandbox on delete cascade,
  process_id text not null,
  tenant_id  text not null references tenant,
  instance   text not null,
  workspace  text not null,
  command    text[] not null,
  cwd        text not null,
  env_names  text[] not null,
  -- Up to where its output was given to who was attached.
  read_to    bigint not null default 0 check (read_to >= 0),
  primary key (sandbox_id, process_id)
);
create index admitted_process_workspace on admitted_process (tenant_id, instance, workspace);
