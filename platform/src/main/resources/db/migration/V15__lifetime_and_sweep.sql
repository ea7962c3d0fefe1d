-- For a backend that ends sandboxes by itself: the end that it granted last, and the claim of the node that has it moved.
-- Where renewal_due_at is null the backend is asked at once.
alter table attempt
  add column provider_until      timestamptz,
  add column renewal_owner       text,
  add column renewal_token       bigint not null default 0,
  add column renewal_claim_until timestamptz,
  add column renewal_due_at      timestamptz,
  add column renewal_failures    integer not null default 0,
  add column renewal_error       text;

-- What an extension lists on a host, compared with the records: who does it when, and the last result.
create table sweep (
  extension_id text not null,
  host_id      text not null references host,
  claim_owner  text,
  claim_token  bigint not null default 0,
  claim_until  timestamptz,
  due_at       timestamptz not null default clock_timestamp(),
  judged_at    timestamptz,
  objects      integer,
  unrecorded   integer,
  missing      integer,
  unjudged     integer not null default 0,
  reason       text,
  primary key (extension_id, host_id),
  check ((unjudged > 0) = (reason is not null)),
  check ((judged_at is null) = (objects is null))
);
