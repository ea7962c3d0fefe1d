-- The span that asked for the sandbox, so that a create goes on in its trace, also after a restart.
alter table sandbox add column trace_parent text check (length(trace_parent) = 55);
