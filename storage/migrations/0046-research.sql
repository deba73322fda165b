-- breaking: the tables of backtests and sweeps become one.
create table research (
  id uuid primary key,
  profile_id uuid not null references profiles on delete cascade,
  kind text not null check (kind in ('backtest', 'sweep')),
  state text not null default 'queued' check (state in ('queued', 'running', 'done', 'failed', 'aborted')),
  strategy_name text not null,
  -- As it ran: that of the profile with the override of the launch, before those of the coins.
  config jsonb not null,
  request jsonb not null,
  warnings jsonb not null default '[]',
  error text,
  created_at timestamptz not null default now(),
  finished_at timestamptz,

  -- Of a backtest. `results` grows by one coin at a time: a run that continues keeps those that are finished.
  results jsonb not null default '{}',
  -- By result: hash of settings, coins and limits. A coin whose config does not parse has none.
  config_fingerprints jsonb not null default '{}',
  pinned boolean not null default false,
  -- Live results are compared with a pinned backtest from this moment on.
  pinned_at timestamptz,
  -- The robustness report; null until it is requested.
  robustness jsonb,

  -- Of a sweep.
  sets integer,
  result jsonb,
  check ((kind = 'sweep') = (sets is not null))
);

insert into research (id, profile_id, kind, state, strategy_name, config, request, warnings, error, created_at, finished_at,
    results, config_fingerprints, pinned, pinned_at, robustness)
  select id, profile_id, 'backtest', state, strategy_name, config, request, warnings, error, created_at, finished_at,
    results, config_fingerprints, pinned, pinned_at, robustness from backtest_runs;
insert into research (id, profile_id, kind, state, strategy_name, config, request, warnings, error, created_at, finished_at,
    sets, result)
  select id, profile_id, 'sweep', state, strategy_name, config, request, warnings, error, created_at, finished_at,
    sets, result from sweeps;

alter table backtest_advisor_slots drop constraint backtest_advisor_slots_run_id_fkey,
  add foreign key (run_id) references research on delete cascade;
alter table sweep_units drop constraint sweep_units_sweep_id_fkey,
  add foreign key (sweep_id) references research on delete cascade;
drop table backtest_runs;
drop table sweeps;
create index research_by_profile on research (profile_id, kind, created_at desc, id);
