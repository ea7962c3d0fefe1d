-- Only extensions that declare a uid lease get one; the others' attempts have none.
alter table attempt alter column uid drop not null;
