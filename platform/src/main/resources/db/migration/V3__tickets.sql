-- Single-use tickets for browsers, and the bytes that a dataplane moved.

create table ticket (
  hash       bytea primary key check (length(hash) = 32),
  tenant_id  text not null,
  sandbox_id text not null,
  generation int not null check (generation >= 1),
  epoch      bigint not null,
  subject    text not null,
  session_id text,
  client_id  text,
  capability text not null,
  route      text not null,
  origin     text,
  expires_at timestamptz not null
);
create index ticket_sandbox on ticket (sandbox_id, expires_at);
create index ticket_expiry on ticket (expires_at);

alter table activity add column bytes bigint not null default 0;
