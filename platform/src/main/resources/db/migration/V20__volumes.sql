-- Named volumes. Until this release nothing wrote rows of this table.
alter table volume
  -- What the backend knows it by: unique for ever, and says nothing of the tenant.
  add column id              text not null unique check (id ~ '^[a-z][a-z0-9]{19}$'),
  add column state           text not null default 'making'
    check (state in ('making', 'ready', 'failed', 'removing')),
  add column failure_code    text,
  add column failure_message text,
  -- Making and removing are claimed work.
  add column claim_owner     text,
  add column claim_token     bigint not null default 0,
  add column claim_until     timestamptz,
  add column due_at          timestamptz not null default clock_timestamp(),
  add column tries           integer not null default 0,
  add check (state <> 'failed' or failure_code is not null);
create index volume_due on volume (due_at) where state in ('making', 'removing');
create index volume_host on volume (host_id);

-- What a tenant may hold; null: as the settings say.
alter table tenant
  add column max_volumes      integer check (max_volumes >= 0),
  add column max_volume_bytes bigint check (max_volume_bytes >= 0);

-- Which sandboxes were given which volumes. A row counts for as long as its sandbox does: until everything of it
-- was seen gone. So nothing can forget to give a volume back; rows that no longer count go when it is next given.
create table volume_hold (
  volume_id  text not null references volume (id) on delete cascade,
  sandbox_id text not null references sandbox on delete cascade,
  writable   boolean not null,
  primary key (volume_id, sandbox_id)
);
create index volume_hold_sandbox on volume_hold (sandbox_id);

-- What a tenant holds and may hold. Creates of one tenant wait for each other here.
create function held_volumes(tenant_id text, out volumes bigint, out bytes bigint,
    out max_volumes integer, out max_bytes bigint) language plpgsql as $$
begin
  select t.max_volumes, t.max_volume_bytes into max_volumes, max_bytes
    from tenant t where t.id = held_volumes.tenant_id for no key update;
  select count(*), coalesce(sum(v.size_bytes), 0) into volumes, bytes
    from volume v where v.tenant_id = held_volumes.tenant_id;
end $$;

-- Volumes that a backend lists and no record knows, until they are gone or have one.
create table volume_suspect (
  extension_id  text not null,
  host_id       text not null references host,
  volume_id     text not null,
  first_seen_at timestamptz not null default clock_timestamp(),
  primary key (extension_id, host_id, volume_id)
);
