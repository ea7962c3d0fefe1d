-- Hosts that an operator registers. Without an extension it is a node's own machine, which all self-hosted
-- extensions of that node use. What is null in max_* has no limit.
alter table host
  add column extension_id     text,
  add column region           text,
  add column settings         jsonb not null default '{}',
  add column credentials      jsonb not null default '{}',
  add column max_sandboxes    integer check (max_sandboxes >= 0),
  add column max_cpus         numeric check (max_cpus > 0),
  add column max_memory_bytes bigint check (max_memory_bytes > 0),
  add column admission        text not null default 'open' check (admission in ('open', 'cordoned', 'draining')),
  -- While it is drained: what becomes of the sandboxes that run there.
  add column running          text not null default 'keep' check (running in ('keep', 'end', 'recreate')),
  -- The row stays for the records of its sandboxes; the name can be registered again.
  add column removed_at       timestamptz;

-- The extensions that a node has loaded: its machine is a place for these.
alter table node add column extensions text[] not null default '{}';

-- What trying an extension on a host found last.
create table host_probe (
  host_id      text not null references host on delete cascade,
  extension_id text not null,
  usable       boolean not null,
  not_enforced text[] not null default '{}',
  cpus         numeric,
  memory_bytes bigint,
  detail       text,
  probed_at    timestamptz not null default clock_timestamp(),
  due_at       timestamptz not null default clock_timestamp(),
  primary key (host_id, extension_id)
);

-- How a sandbox is to be routed, as its profile and request said; null in rows of an earlier release.
alter table sandbox add column routing jsonb;

-- User ids belong to a machine, which may have several hosts: leased is what no other open attempt of the machine has.
alter table attempt add column uid_host text references host;
create unique index attempt_machine_uid on attempt (coalesce(uid_host, host_id), uid)
  where cleanup is null or cleanup = 'pending';

-- Which candidate of the plan an attempt is on (from 0; null in rows of an earlier release: one attempt a candidate),
-- and what it takes of its host's room until it was seen clean.
alter table attempt
  add column candidate    integer,
  add column cpus         numeric,
  add column memory_bytes bigint;
create index attempt_held on attempt (host_id) include (cpus, memory_bytes)
  where cleanup is null or cleanup = 'pending';

-- The first of these hosts that has room, from 1; null if none has. Its row is locked until the end of the
-- transaction, so that concurrent creates never overfill it; rows of full hosts are not, so that two
-- transactions never wait for each other in a circle. What the sandbox itself holds does not count.
create function host_with_room(hosts text[], sandbox text, cpus numeric, memory_bytes bigint)
  returns integer language plpgsql as $$
declare
  place host;
  held  record;
begin
  for i in 1 .. coalesce(array_length(hosts, 1), 0) loop
    begin
      select * into place from host h where h.id = hosts[i] for no key update;
      if found and place.admission = 'open' and place.removed_at is null then
        select count(*) as sandboxes, coalesce(sum(a.cpus), 0) as cpus, coalesce(sum(a.memory_bytes), 0) as memory
          into held from attempt a
          where a.host_id = place.id and (a.cleanup is null or a.cleanup = 'pending')
            and a.sandbox_id <> sandbox;
        if coalesce(held.sandboxes + 1 <= place.max_sandboxes, true)
           and coalesce(held.cpus + host_with_room.cpus <= place.max_cpus, true)
           and coalesce(held.memory + host_with_room.memory_bytes <= place.max_memory_bytes, true) then
          return i;
        end if;
      end if;
      raise exception using errcode = 'SB001';
    exception when sqlstate 'SB001' then
      null;
    end;
  end loop;
  return null;
end $$;
