-- How often a receiver took something after it had failed; and how often it had when it last failed with a subject's next event.
-- Where the first is more, the receiver lives and it is the event that fails.
alter table sink add column recoveries bigint not null default 0;
alter table sink_stream add column recoveries bigint not null default 0;

-- Somebody asked for the next event at once while it was being sent.
alter table sink_stream add column hurried boolean not null default false;

-- What is behind, parked or not: read every two seconds, beside any number of subjects that are at their end.
create index sink_stream_behind on sink_stream (sink_id) where next_seq <= head_seq;
