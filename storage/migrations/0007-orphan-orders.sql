-- Orders open on the exchange that no profile tracks, as the owner of the account has last seen them. Times are wall time
-- but placed_at, which is the exchange's.
create table orphan_orders (
  account_id uuid not null references accounts on delete cascade,
  symbol text not null,
  exchange_order_id text not null,
  client_order_id text not null,
  side text not null check (side in ('buy', 'sell')),
  type text not null,
  price numeric not null,
  stop_price numeric not null,
  quantity numeric not null,
  filled_quantity numeric not null,
  list_id text,
  base_asset text,
  locked_asset text,
  locked_amount numeric not null,
  placed_at timestamptz not null,
  first_seen_at timestamptz not null default clock_timestamp(),
  last_seen_at timestamptz not null default clock_timestamp(),
  state text not null default 'open' check (state in ('open', 'left', 'adopted', 'cancelled', 'gone')),
  state_at timestamptz not null default clock_timestamp(),
  primary key (account_id, symbol, exchange_order_id)
);
