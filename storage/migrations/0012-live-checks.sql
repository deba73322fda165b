-- Bars of a profile's live gate that differ from the usual ones.
alter table profiles add column gate_bars jsonb not null default '{}';

-- Live results count against a pinned backtest from the moment it was pinned.
alter table backtest_runs add column pinned_at timestamptz;
update backtest_runs set pinned_at = now() where pinned;
-- How much of it is luck: null until somebody asks.
alter table backtest_runs add column robustness jsonb;

-- The newest report of each kind about a profile's live trading.
create table profile_reports (
  profile_id uuid not null references profiles on delete cascade,
  kind text not null check (kind in ('drift', 'shadow')),
  -- Since when a new one waits or is made.
  requested_at timestamptz,
  error text,
  report jsonb,
  primary key (profile_id, kind)
);
