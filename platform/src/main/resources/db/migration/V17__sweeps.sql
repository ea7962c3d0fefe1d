-- How often places were swept, which shows a database that was set back; and the restore epoch that the operator accepted.
alter table installation
  add column sweeps         bigint not null default 0,
  add column accepted_epoch bigint not null default 1;
update installation set accepted_epoch = restore_epoch;

alter table sweep
  add column recorded integer not null default 0,
  add column suspects integer not null default 0,
  add column removed  bigint not null default 0,
  -- Passes in a row that were not let through, and why the last one was not.
  add column refusals integer not null default 0,
  add column refused  text,
  add check ((refusals > 0) = (refused is not null));

-- Objects without a record, until a later listing lacks them, they have a record or they are removed.
create table sweep_suspect (
  extension_id  text not null,
  host_id       text not null,
  provider_uid  text not null,
  sandbox       text not null,
  generation    integer not null,
  attempt       integer not null,
  first_seen_at timestamptz not null default clock_timestamp(),
  primary key (extension_id, host_id, provider_uid),
  foreign key (extension_id, host_id) references sweep
);

-- Sweeps that an operator asked for, and what became of them at each place.
create table sweep_order (
  id         text primary key check (id ~ '^swp_[a-z][a-z0-9]{19}$'),
  host_id    text references host,
  dry_run    boolean not null,
  confirm    boolean not null,
  created_at timestamptz not null default clock_timestamp()
);
create index sweep_order_created on sweep_order (created_at desc, id desc);

create table sweep_pass (
  order_id     text not null references sweep_order on delete cascade,
  extension_id text not null,
  host_id      text not null,
  began_at     timestamptz,
  ended_at     timestamptz,
  report       jsonb,
  primary key (order_id, extension_id, host_id),
  foreign key (extension_id, host_id) references sweep,
  check ((ended_at is null) = (report is null))
);
create index sweep_pass_open on sweep_pass (extension_id, host_id) where ended_at is null;
