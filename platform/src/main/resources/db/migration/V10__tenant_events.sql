-- Events of a tenant itself, such as a request that a quota refused, are numbered under its row's lock.
alter table tenant add column event_seq bigint not null default 0;
