-- Deadlines are written and compared with clock_timestamp(), so that one clock decides.

create table installation (
  singleton     boolean primary key default true check (singleton),
  id            uuid not null,
  restore_epoch bigint not null default 1,
  clock_shifted_at timestamptz,
  created_at    timestamptz not null default clock_timestamp()
);

create table node (
  id           text primary key,
  boot_id      uuid not null,
  version      text not null,
  internal_url text,
  lease_until  timestamptz not null,
  started_at   timestamptz not null default clock_timestamp()
);

create table tenant (
  id         text primary key check (id ~ '^ten_[a-z][a-z0-9]{19}$'),
  name       text not null unique check (length(name) between 1 and 64),
  max_live   integer check (max_live >= 0),
  created_at timestamptz not null default clock_timestamp()
);

create table api_key (
  id          text primary key check (id ~ '^key_[a-z][a-z0-9]{19}$'),
  tenant_id   text not null references tenant,
  name        text not null check (length(name) between 1 and 64),
  role        text not null check (role in ('admin', 'operator', 'consumer')),
  secret_hash bytea not null unique check (length(secret_hash) = 32),
  created_at  timestamptz not null default clock_timestamp(),
  ended_at    timestamptz
);
create index api_key_tenant on api_key (tenant_id);

create table host (
  id         text primary key,
  address    text not null,
  node_id    text references node,
  next_uid   integer not null default 0,
  labels     jsonb not null default '{}',
  created_at timestamptz not null default clock_timestamp()
);

create table profile_version (
  id           text not null check (id ~ '^profile\.[a-z0-9][a-z0-9-]{0,62}$'),
  version      integer not null check (version >= 1),
  content_hash bytea not null check (length(content_hash) = 32),
  source       text not null,
  created_at   timestamptz not null default clock_timestamp(),
  primary key (id, version)
);

-- Every legal change of a sandbox's state. The code reads this table; the trigger below enforces it.
create table state_transition (
  from_state text not null,
  to_state   text not null,
  primary key (from_state, to_state)
);
insert into state_transition (from_state, to_state) values
  ('new', 'requested'), ('new', 'pooled'), ('pooled', 'requested'),
  ('ready', 'requested'), ('active', 'requested'), ('suspended', 'requested'),
  ('expired', 'requested'), ('failed', 'requested'),
  ('requested', 'provisioning'),
  ('provisioning', 'ready'), ('provisioning', 'requested'), ('provisioning', 'failed'),
  ('ready', 'active'),
  ('ready', 'suspending'), ('active', 'suspending'), ('suspending', 'suspended'),
  ('suspended', 'resuming'), ('resuming', 'ready'),
  ('ready', 'expired'), ('active', 'expired'), ('suspended', 'expired'),
  ('requested', 'failed'), ('ready', 'failed'), ('active', 'failed'),
  ('suspending', 'failed'), ('suspended', 'failed'), ('resuming', 'failed'),
  ('pooled', 'destroying'), ('requested', 'destroying'), ('provisioning', 'destroying'),
  ('ready', 'destroying'), ('active', 'destroying'), ('suspending', 'destroying'),
  ('suspended', 'destroying'), ('resuming', 'destroying'), ('expired', 'destroying'),
  ('failed', 'destroying'),
  ('destroying', 'destroyed');

create table sandbox (
  id                text primary key check (id ~ '^[a-z][a-z0-9]{19}$'),
  tenant_id         text references tenant,
  principal_id      text references api_key,
  profile_id        text not null,
  profile_version   integer not null,
  extension_id      text not null,
  host_id           text references host,
  spec              jsonb not null,
  spec_hash         bytea not null check (length(spec_hash) = 32),
  actor             text check (actor in ('adm', 'agt', 'atm')),
  project           text,
  session_id        text,
  run_id            text,
  labels            jsonb not null default '{}',
  env_names         text[] not null default '{}',
  env_sealed        bytea,
  state             text not null,
  desired           text not null default 'running' check (desired in ('running', 'suspended', 'gone')),
  generation        integer not null default 1 check (generation >= 1),
  attempt_id        text,
  claim_owner       text,
  claim_token       bigint not null default 0,
  claim_until       timestamptz,
  due_at            timestamptz not null default clock_timestamp(),
  ttl_seconds       bigint not null check (ttl_seconds > 0),
  hard_ttl_seconds  bigint not null check (hard_ttl_seconds > 0),
  expires_at        timestamptz,
  hard_expires_at   timestamptz,
  descriptors       jsonb not null default '{}',
  conditions        jsonb not null default '[]',
  failure_code      text,
  failure_message   text,
  failure_retryable boolean,
  end_reason        text,
  cleanup           text check (cleanup in ('pending', 'done', 'abandoned')),
  cost_amount       numeric(20, 8),
  cost_currency     text,
  event_seq         bigint not null default 0,
  created_at        timestamptz not null default clock_timestamp(),
  ready_at          timestamptz,
  active_at         timestamptz,
  ended_at          timestamptz,
  destroyed_at      timestamptz,
  foreign key (profile_id, profile_version) references profile_version,
  check (state = 'pooled' or (tenant_id is not null and actor is not null and project is not null)),
  check (state <> 'failed' or (failure_code is not null and cleanup is not null)),
  check (state <> 'destroyed' or (end_reason is not null and cleanup is not null and destroyed_at is not null)),
  check (state not in ('ready', 'active') or (attempt_id is not null and expires_at is not null and ready_at is not null))
);
create index sandbox_tenant_created on sandbox (tenant_id, created_at desc, id desc);
create index sandbox_tenant_held on sandbox (tenant_id) where destroyed_at is null;
create index sandbox_due on sandbox (due_at)
  where state in ('requested', 'provisioning', 'expired', 'destroying')
     or (desired = 'gone' and state <> 'destroyed');
create index sandbox_expiry on sandbox (expires_at) where state in ('ready', 'active', 'suspended');
create index sandbox_claims on sandbox (claim_owner) where claim_owner is not null;

create function check_sandbox_transition() returns trigger language plpgsql as $$
declare
  before text := case when tg_op = 'INSERT' then 'new' else old.state end;
begin
  if tg_op = 'UPDATE' then
    if new.claim_token < old.claim_token or new.event_seq < old.event_seq then
      raise exception 'a claim token or event number of sandbox % went back', new.id
        using errcode = 'integrity_constraint_violation';
    end if;
    if new.generation <> old.generation
       and not (new.generation = old.generation + 1 and new.state = 'requested' and old.state <> 'provisioning') then
      raise exception 'generation % of sandbox % can not become %', old.generation, new.id, new.generation
        using errcode = 'integrity_constraint_violation';
    end if;
    if new.state = 'requested' and old.state not in ('requested', 'provisioning', 'pooled')
       and new.generation = old.generation then
      raise exception 'sandbox % can be requested again only as a new generation', new.id
        using errcode = 'integrity_constraint_violation';
    end if;
  end if;
  if before <> new.state and not exists (
      select 1 from state_transition where from_state = before and to_state = new.state) then
    raise exception 'sandbox % can not go from % to %', new.id, before, new.state
      using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end $$;
create trigger sandbox_insert before insert on sandbox
  for each row execute function check_sandbox_transition();
create trigger sandbox_transition before update on sandbox
  for each row when (old.state is distinct from new.state or old.generation <> new.generation
                     or old.claim_token > new.claim_token or old.event_seq > new.event_seq)
  execute function check_sandbox_transition();

create table attempt (
  id              text primary key check (id ~ '^att_[a-z][a-z0-9]{19}$'),
  sandbox_id      text not null references sandbox,
  tenant_id       text references tenant,
  generation      integer not null check (generation >= 1),
  number          integer not null check (number >= 1),
  extension_id    text not null,
  host_id         text not null references host,
  node_id         text not null references node,
  uid             integer not null check (uid > 0),
  phase           text not null check (phase in ('provisioning', 'provisioned', 'ready', 'failed', 'ended')),
  outcome         text check (outcome in ('nothing_created', 'created', 'unknown')),
  failure_code    text,
  failure_message text,
  handle_version  integer,
  handle_data     text,
  handle_sealed   bytea,
  provider_uid    text,
  dataplane       jsonb,
  cleanup         text check (cleanup in ('pending', 'done', 'abandoned')),
  clean_after     timestamptz,
  cleanup_owner   text,
  cleanup_token   bigint not null default 0,
  cleanup_until   timestamptz,
  cleanup_due_at  timestamptz,
  cleanup_tries   integer not null default 0,
  cleanup_report  jsonb,
  created_at      timestamptz not null default clock_timestamp(),
  ended_at        timestamptz,
  cleaned_at      timestamptz,
  unique (sandbox_id, generation, number),
  check (cleanup is null or cleanup_due_at is not null),
  check ((handle_version is null) = (handle_data is null))
);
-- One uid a live sandbox on a host; free again only when the backend was seen clean.
create unique index attempt_uid on attempt (host_id, uid) where cleanup is null or cleanup = 'pending';
create index attempt_debt on attempt (cleanup_due_at) where cleanup = 'pending';
create index attempt_debt_tenant on attempt (tenant_id) where cleanup = 'pending';
alter table sandbox add foreign key (attempt_id) references attempt deferrable initially deferred;

create table session (
  id              text primary key check (id ~ '^ssn_[a-z][a-z0-9]{19}$'),
  tenant_id       text not null references tenant,
  scope_type      text not null
    check (scope_type in ('thread', 'workspace', 'assistant', 'deployment', 'user', 'run')),
  scope_id        text not null,
  sandbox_id      text not null references sandbox,
  created_sandbox boolean not null,
  lease_until     timestamptz not null,
  created_at      timestamptz not null default clock_timestamp(),
  ended_at        timestamptz,
  end_reason      text,
  check ((ended_at is null) = (end_reason is null))
);
create unique index session_live_scope on session (tenant_id, scope_type, scope_id) where ended_at is null;
create index session_sandbox on session (sandbox_id);

create table activity (
  sandbox_id   text primary key references sandbox on delete cascade,
  last_used_at timestamptz not null,
  requests     bigint not null default 0
) with (fillfactor = 50);

create table event (
  id          text not null unique check (id ~ '^evt_[a-z][a-z0-9]{19}$'),
  subject     text not null,
  seq         bigint not null check (seq >= 1),
  tenant_id   text references tenant,
  sandbox_id  text references sandbox,
  position    bigint unique,
  type        text not null,
  occurred_at timestamptz not null default clock_timestamp(),
  consumer    jsonb not null default '{}',
  actor_type  text,
  state       text,
  detail      jsonb not null default '{}',
  primary key (subject, seq)
);
create index event_unpositioned on event (occurred_at) where position is null;

create table idempotency (
  tenant_id    text not null references tenant,
  principal_id text not null,
  route        text not null,
  key          text not null check (length(key) between 1 and 255),
  fingerprint  bytea not null check (length(fingerprint) = 32),
  resource_id  text not null,
  expires_at   timestamptz not null,
  primary key (tenant_id, principal_id, route, key)
);
create index idempotency_expiry on idempotency (expires_at);

create table signing_key (
  kid         text primary key,
  purpose     text not null check (purpose in ('client', 'relay')),
  state       text not null check (state in ('next', 'current', 'previous', 'retired')),
  public_jwk  jsonb not null,
  sealed      bytea not null,
  created_at  timestamptz not null default clock_timestamp(),
  activate_at timestamptz not null default clock_timestamp()
);
create unique index signing_key_current on signing_key (purpose) where state = 'current';

create sequence revocation_epoch;
create table revocation (
  scope      text not null check (scope in ('session', 'sandbox', 'tenant', 'all')),
  id         text not null,
  min_epoch  bigint not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (scope, id)
);

create table audit (
  id         bigint generated always as identity primary key,
  at         timestamptz not null default clock_timestamp(),
  request_id text not null,
  caller     text,
  user_id    text,
  tenant_id  text,
  scope_type text,
  scope_id   text,
  session_id text,
  sandbox_id text,
  action     text not null,
  result     text not null,
  address    text
);
create index audit_tenant on audit (tenant_id, at);

create table volume (
  tenant_id    text not null references tenant,
  name         text not null check (name ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  extension_id text not null,
  host_id      text not null references host,
  size_bytes   bigint not null check (size_bytes > 0),
  created_at   timestamptz not null default clock_timestamp(),
  primary key (tenant_id, name)
);
