-- What tokens for a sandbox may allow at most, as its profile says; null where it says nothing.

alter table sandbox add column capabilities text[];
