-- Every file of the strategies folder as the worker last saw it; `problem` names the line when it cannot be used.
create table strategy_files (
  file text primary key,
  hash text not null check (hash ~ '^[0-9a-f]{64}$'),
  problem text,
  changed_at timestamptz not null default now()
);
-- The last check of a version: each property with its sentence. While one is requested, the result is of an earlier one.
alter table strategy_versions add column checked jsonb, add column check_requested_at timestamptz;
