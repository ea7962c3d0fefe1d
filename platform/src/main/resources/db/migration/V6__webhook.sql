-- Why a receiver is paused: null while it is not, or where its owner has paused it.
alter table sink add column paused_reason text;
alter table sink add column paused_at timestamptz;
create index sink_tenant on sink (tenant_id) where tenant_id is not null;
create index sink_stream_claimed on sink_stream (sink_id) where claim_until is not null;

-- A receiver that belongs to a tenant: the row of table sink with the same id says what it wants and how it fares.
create table webhook (
  id               text primary key references sink on delete cascade check (id ~ '^whk_[a-z][a-z0-9]{19}$'),
  tenant_id        text not null references tenant,
  url              text not null check (length(url) <= 2048),
  description      text not null default '' check (length(description) <= 256),
  profiles         text[] not null default '{}',
  secret_sealed    bytea not null,
  old_sealed       bytea,
  old_secret_until timestamptz,
  created_at       timestamptz not null default clock_timestamp(),
  check ((old_sealed is null) = (old_secret_until is null))
);
create index webhook_tenant on webhook (tenant_id, created_at, id);

-- Each try of each delivery, for some days.
create table webhook_delivery (
  id          bigint generated always as identity primary key,
  webhook_id  text not null references webhook on delete cascade,
  event_id    text not null,
  type        text not null,
  cause       text not null check (cause in ('event', 'test', 'replay')),
  attempt     integer not null check (attempt >= 1),
  status      integer,
  error       text,
  duration_ms integer not null,
  at          timestamptz not null default clock_timestamp()
);
create index webhook_delivery_newest on webhook_delivery (webhook_id, id desc);
create index webhook_delivery_at on webhook_delivery (at);
