-- The backends that the profile allows, in its order; empty in rows of an earlier release.
alter table sandbox add column candidates text[] not null default '{}';

-- The first attempt of a generation has the plan: candidates in the order to try, why others were
-- rejected, and until when a further one may be tried.
alter table attempt add column plan jsonb;
alter table attempt add column plan_until timestamptz;

-- The claim under which an attempt began. A worker with a later claim does not know what the calls
-- of the earlier one have left.
alter table attempt add column claim_token bigint;

-- What a tenant holds, clean-up debt included, and may hold (null: as the setting says). Creates of
-- one tenant wait for each other here; what is counted is read after the wait.
create function held_sandboxes(tenant_id text, out held bigint, out most integer) language plpgsql as $$
begin
  select t.max_live into most from tenant t where t.id = held_sandboxes.tenant_id for no key update;
  select (select count(*) from sandbox s
           where s.tenant_id = held_sandboxes.tenant_id and s.destroyed_at is null
             and not (s.state = 'failed' and s.cleanup in ('done', 'abandoned')))
       + (select count(*) from attempt a join sandbox s on s.id = a.sandbox_id
           where a.tenant_id = held_sandboxes.tenant_id and a.cleanup = 'pending'
             and a.id is distinct from s.attempt_id)
    into held;
end $$;
