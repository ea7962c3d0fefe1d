-- A sandbox that nobody uses ends; rows of the release before this one never do.
alter table sandbox add column idle_seconds bigint check (idle_seconds > 0);
