-- How often a clean-up found something that it could not remove. cleanup_tries also counts the looks that wait for late effects.
alter table attempt add column cleanup_failures integer not null default 0;
