-- Sessions: who holds them and until when; keys with limits; revocation that nodes read piece by piece; an audit that only grows.

alter table session
  add column principal_id text references api_key,
  add column user_id      text not null default '',
  add column thread_id    text,
  add column run_id       text,
  add column inputs       text,
  add column heartbeat    boolean not null default false,
  add column idle_seconds bigint not null default 900 check (idle_seconds > 0),
  add column idle_until   timestamptz not null default clock_timestamp();
create index session_lease on session (lease_until) where ended_at is null;
create index session_idle on session (idle_until) where ended_at is null;
create index session_by_thread on session (tenant_id, thread_id) where ended_at is null and thread_id is not null;
create index session_by_user on session (tenant_id, user_id) where ended_at is null;

-- What was granted last to one subject through one key: a refresh gives no more than that.
create table session_grant (
  session_id   text not null references session on delete cascade,
  principal_id text not null references api_key,
  subject      text not null,
  actor_type   text check (actor_type in ('human', 'agent')),
  capabilities text[] not null,
  granted_at   timestamptz not null default clock_timestamp(),
  primary key (session_id, principal_id, subject)
);

-- Threads and runs that have ended: tokens that were given for them before are not renewed.
create table scope_end (
  tenant_id  text not null references tenant,
  scope_type text not null check (scope_type in ('thread', 'run')),
  scope_id   text not null,
  ended_at   timestamptz not null default clock_timestamp(),
  primary key (tenant_id, scope_type, scope_id)
);
create index scope_end_age on scope_end (ended_at);

alter table api_key drop constraint api_key_role_check;
alter table api_key add constraint api_key_role_check
  check (role in ('admin', 'operator', 'delegate', 'consumer'));
alter table api_key
  add column user_id      text,
  add column capabilities text[],
  add column scopes       text[];

-- xid orders by commit where the sequence does not: a reader that asks for all rows since the oldest
-- transaction that was open at its last read misses none.
alter table revocation drop constraint revocation_scope_check;
alter table revocation add constraint revocation_scope_check
  check (scope in ('session', 'sandbox', 'tenant', 'key', 'all'));
alter table revocation add column xid xid8 not null default pg_current_xact_id();
create index revocation_xid on revocation (xid);

alter table signing_key add column retired_at timestamptz;
create unique index signing_key_next on signing_key (purpose) where state = 'next';

alter table audit add column detail text;
create index audit_at on audit (at);
create index audit_session on audit (session_id, id) where session_id is not null;

create function keep_audit() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('sandboxer.audit_retention', true) = 'on' then
    return old;
  end if;
  raise exception 'the audit only grows' using errcode = 'integrity_constraint_violation';
end $$;
create trigger audit_append_only before update or delete on audit
  for each row execute function keep_audit();
create trigger audit_no_truncate before truncate on audit
  for each statement execute function keep_audit();
