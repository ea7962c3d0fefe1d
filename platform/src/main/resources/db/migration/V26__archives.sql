-- Archives that sandboxes are made of, once per tenant and content: uploads of callers, and folders as they were when a
-- sandbox was created of them.
create table archive (
  id         text primary key check (id ~ '^arc_[a-z][a-z0-9]{19}$'),
  tenant_id  text not null references tenant,
  -- Of all bytes; null until they have arrived.
  sha256     bytea check (length(sha256) = 32),
  size_bytes bigint not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  -- Removed after this, once no sandbox has it.
  keep_until timestamptz not null
);
create unique index archive_content on archive (tenant_id, sha256);
create index archive_old on archive (keep_until);

create table archive_chunk (
  archive_id text not null references archive on delete cascade,
  number     integer not null,
  bytes      bytea not null,
  primary key (archive_id, number)
);
-- Most are compressed already.
alter table archive_chunk alter column bytes set storage external;

-- Which option of a sandbox stands for which archive. A row counts until its sandbox is destroyed, so nothing can forget
-- to give an archive back; the archive goes together with its rows.
create table archive_hold (
  sandbox_id text not null references sandbox on delete cascade,
  option     text not null,
  archive_id text not null references archive,
  primary key (sandbox_id, option)
);
create index archive_hold_archive on archive_hold (archive_id);
