-- Backtests of a profile. `results` grows by one coin at a time: a run that is taken up again leaves finished coins alone.
create table backtest_runs (
  id uuid primary key,
  profile_id uuid not null references profiles on delete cascade,
  state text not null default 'queued' check (state in ('queued', 'running', 'done', 'failed', 'aborted')),
  pinned boolean not null default false,
  strategy_name text not null,
  -- As it ran: the profile's with the override of the run, before those of the coins.
  config jsonb not null,
  -- Hash of the parsed config of each coin; a coin whose config does not parse has none.
  config_fingerprints jsonb not null default '{}',
  request jsonb not null,
  warnings jsonb not null default '[]',
  results jsonb not null default '{}',
  error text,
  created_at timestamptz not null default now(),
  finished_at timestamptz
);
create index backtest_runs_by_profile on backtest_runs (profile_id, created_at desc, id);

create table sweeps (
  id uuid primary key,
  profile_id uuid not null references profiles on delete cascade,
  state text not null default 'queued' check (state in ('queued', 'running', 'done', 'failed', 'aborted')),
  strategy_name text not null,
  config jsonb not null,
  request jsonb not null,
  sets integer not null,
  warnings jsonb not null default '[]',
  result jsonb,
  error text,
  created_at timestamptz not null default now(),
  finished_at timestamptz
);
create index sweeps_by_profile on sweeps (profile_id, created_at desc, id);

-- What one job of a sweep tries: any worker takes it, and what is done is never done again.
create table sweep_units (
  sweep_id uuid not null references sweeps on delete cascade,
  stage integer not null,
  number integer not null,
  sets jsonb not null,
  evaluated jsonb,
  worker text,
  done_at timestamptz,
  primary key (sweep_id, stage, number)
);

-- Every set ever tried on a question counts against the luck of the best, also after its sweep was deleted.
create table trial_ledger (
  source_id uuid primary key,
  strategy_name text not null,
  symbol text not null,
  trials integer not null,
  at timestamptz not null default now()
);
create index trial_ledger_by_question on trial_ledger (strategy_name, symbol);
