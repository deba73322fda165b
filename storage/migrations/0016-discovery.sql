-- Settings of the discovery of coins; what is absent has its default (core).
alter table profiles add column discovery jsonb not null default '{}';

-- One round of it: the funnel and what became of each coin.
create table discovery_cycles (
  id uuid primary key,
  profile_id uuid not null references profiles on delete cascade,
  at timestamptz not null,
  error text,
  result jsonb not null
);
create index discovery_cycles_by_profile on discovery_cycles (profile_id, at desc, id desc);
