-- The one counter of positions. Its row is the lock of whoever numbers: positions have no hole.
create table event_sequence (
  one  boolean primary key default true check (one),
  last bigint not null check (last >= 0)
);
insert into event_sequence (last) values (0);
create index event_tenant_position on event (tenant_id, position) where position is not null;

-- What the work belongs to (topic_id, workstream_id, task_id, decision_id), if who asked said so.
alter table sandbox add column work jsonb not null default '{}';
