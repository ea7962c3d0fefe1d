-- Null where the backend cannot tell: then a create finds out.
alter table host_probe add column runtimes text[];
