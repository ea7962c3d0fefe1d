-- MCP servers of pipelines. Their environments are sealed apart; what is due is looked after by whichever node claims it.
alter table pipeline
  add column mcp_env_sealed bytea,
  -- The key that stored it, in whose name its box is made.
  add column principal_id   text,
  add column mcp_due        timestamptz,
  add column mcp_failures   integer not null default 0,
  -- Why its MCP servers do not all run, as of the last look.
  add column mcp_problem    text;
create index pipeline_mcp_due on pipeline (mcp_due) where mcp_due is not null;
