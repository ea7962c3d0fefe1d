-- What a profile's setup has made is a layer, named by what it was made of. An attempt makes one, or has one mounted.
alter table attempt add column layer text;
alter table attempt add column makes_layer boolean not null default false;
create index attempt_layer on attempt (layer) where layer is not null and (cleanup is null or cleanup = 'pending');
