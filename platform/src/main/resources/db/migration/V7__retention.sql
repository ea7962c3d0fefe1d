-- Up to which position events may have been removed. Its row is the lock of whoever removes.
create table event_retention (
  one       boolean primary key default true check (one),
  forgotten bigint not null check (forgotten >= 0)
);
insert into event_retention (forgotten) values (0);

-- When a node last had the operator's sink set up; null for what is not set up on nodes.
alter table sink add column seen_at timestamptz;

-- Asked for each old event: does a sink still want it?
create index sink_stream_subject on sink_stream (subject);
