-- What a tenant may hold; null: as the setting says.
alter table tenant add column max_boxes integer check (max_boxes >= 0);

-- What a tenant holds and may hold. Creates of one tenant wait for each other here; what is counted is read after the wait.
create function held_boxes(tenant_id text, out held bigint, out most integer) language plpgsql as $$
begin
  select t.max_boxes into most from tenant t where t.id = held_boxes.tenant_id for no key update;
  select count(*) into held from box b where b.tenant_id = held_boxes.tenant_id;
end $$;
