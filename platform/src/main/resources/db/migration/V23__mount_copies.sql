-- Folders of a node that an attempt has as copies. A row is made once the folder is inside. While it is 'copied' and
-- writable, the attempt's remains are not removed: what the sandbox changed goes back first.
create table mount_copy (
  attempt_id  text not null references attempt on delete cascade,
  mount_path  text not null,
  host_path   text not null,
  -- The node that has the folder.
  node_id     text not null,
  writable    boolean not null,
  -- What both sides had when they were last the same: paths, times and hashes, as boxd writes them.
  record      bytea not null,
  state       text not null default 'copied' check (state in ('copied', 'returned', 'lost')),
  sync_seconds bigint check (sync_seconds > 0),
  sync_due_at timestamptz,
  synced_at   timestamptz,
  primary key (attempt_id, mount_path)
);
create index mount_copy_due on mount_copy (node_id, sync_due_at) where state = 'copied' and sync_due_at is not null;
