-- A changed config of a profile that is computed next to the present one, on live candles. Nothing of it trades.
create table dry_runs (
  id uuid primary key,
  profile_id uuid not null references profiles on delete cascade,
  state text not null default 'running' check (state in ('running', 'finished', 'promoted', 'dropped', 'failed')),
  strategy_name text not null,
  -- The config that it is compared with: a version of profile_configs, kept here too, because old versions may be deleted.
  version integer not null check (version > 0),
  present jsonb not null check (jsonb_typeof(present) = 'object'),
  changed jsonb not null check (jsonb_typeof(changed) = 'object'),
  -- The coins of the profile with their overrides at the start.
  coins jsonb not null check (jsonb_typeof(coins) = 'array' and jsonb_array_length(coins) between 1 and 50),
  -- Decisions over all coins after which it is finished.
  decisions integer not null check (decisions between 10 and 100000),
  warnings jsonb not null default '[]',
  -- Where both sides start: positions, balances, costs and limits. Null until a worker has read them.
  opening jsonb check (jsonb_typeof(opening) = 'object' and octet_length(opening::text) < 4000000),
  -- The result up to a moment of the market; the worker replaces it only by a later one.
  result jsonb check (jsonb_typeof(result) = 'object' and octet_length(result::text) < 1000000),
  evaluated_to timestamptz,
  error text,
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  check (present <> changed),
  check ((state = 'running') = (ended_at is null)),
  check ((state = 'failed') = (error is not null)),
  check ((result is null) = (evaluated_to is null)),
  check (result is null or opening is not null),
  check (state <> 'finished' or result is not null)
);
create unique index one_running_dry_run on dry_runs (profile_id) where state = 'running';
create index dry_runs_by_profile on dry_runs (profile_id, started_at desc, id);
