-- The one counter of positions. Its row is the lock of whoever numbers: positions have no hole.
create table event_sequence (
  one  boolean primary key default true check (one),
  last bigint not null check (last >= 0)
);
insert into event_sequence (last) values (0);
create index event_tenant_position on event (tenant_id, position) where position is not null;

-- What the work belongs to (topic_id, workstream_id, task_id, decision_id), if who asked said so.
alter table sandbox add column work jsonb not null default '{}';

-- Where events are delivered to.
create table sink (
  id            text primary key,
  kind          text not null,
  tenant_id     text references tenant,
  types         text[] not null default '{}',
  patterns      text[] not null default '{%}',
  state         text not null default 'active' check (state in ('active', 'paused')),
  failures      integer not null default 0,
  failing_since timestamptz,
  last_error    text,
  due_at        timestamptz not null default clock_timestamp(),
  created_at    timestamptz not null default clock_timestamp()
);

-- How far a sink has come with one subject: it wants next_seq to head_seq. One row a sink and subject, whatever the backlog.
create table sink_stream (
  sink_id     text not null references sink on delete cascade,
  subject     text not null,
  next_seq    bigint not null,
  head_seq    bigint not null,
  due_at      timestamptz not null default clock_timestamp(),
  attempts    integer not null default 0,
  last_error  text,
  parked_at   timestamptz,
  claim_owner text,
  claim_token bigint not null default 0,
  claim_until timestamptz,
  moved_at    timestamptz not null default clock_timestamp(),
  primary key (sink_id, subject),
  check (next_seq >= 1)
);
create index sink_stream_due on sink_stream (sink_id, due_at) where next_seq <= head_seq and parked_at is null;
