-- The backends that the profile allows, in its order; empty in rows of an earlier release.
alter table sandbox add column candidates text[] not null default '{}';

-- The decision of each generation: candidates in the order to try, and why others were rejected.
create table route (
  sandbox_id  text not null references sandbox on delete cascade,
  generation  integer not null check (generation >= 1),
  candidates  jsonb not null,
  rejected    jsonb not null,
  decided_at  timestamptz not null default clock_timestamp(),
  deadline_at timestamptz not null,
  primary key (sandbox_id, generation)
);

-- The claim under which an attempt began. A worker with a later claim does not know what the calls
-- of the earlier one have left.
alter table attempt add column claim_token bigint;
