create index orders_of_account on orders (account_id, created_at desc, id desc);

-- What a comparison with the exchange's own lists has found, beside the records: fills stay as they were booked.
create table profile_runs (
  id uuid primary key,
  profile_id uuid not null references profiles on delete cascade,
  kind text not null check (kind in ('fees', 'archive')),
  status text not null default 'queued' check (status in ('queued', 'running', 'done', 'error')),
  request jsonb not null default '{}',
  report jsonb,
  error text,
  started_at timestamptz not null default now(),
  finished_at timestamptz
);
create index profile_runs_by_profile on profile_runs (profile_id, kind, started_at desc);

-- The fee that the exchange lists where another one is recorded, or the value in quote that was not known.
create table fee_adjustments (
  account_id uuid not null,
  epoch integer not null,
  symbol text not null,
  trade_id text not null,
  exchange_order_id text not null,
  run_id uuid not null,
  fee_amount numeric not null,
  fee_asset text,
  fee_quote numeric,
  recorded_at timestamptz not null default now(),
  primary key (account_id, epoch, symbol, trade_id, exchange_order_id)
);

-- Executions of the account that no order of this service made. No position and no result ever counts them.
create table archived_fills (
  account_id uuid not null,
  epoch integer not null,
  symbol text not null,
  trade_id text not null,
  exchange_order_id text not null,
  side text not null check (side in ('buy', 'sell')),
  price numeric not null,
  quantity numeric not null,
  quote_quantity numeric not null,
  fee_amount numeric not null,
  fee_asset text,
  maker boolean not null,
  at timestamptz not null,
  recorded_at timestamptz not null default now(),
  primary key (account_id, epoch, symbol, trade_id)
);
create index archived_fills_by_time on archived_fills (account_id, symbol, at desc, trade_id desc);
