-- The records of the specification, in its own words. Times of trading records are market time; recorded_at is wall time.
create table users (
  id uuid primary key,
  -- true in every row and unique: there is exactly one master operator.
  master boolean not null default true unique check (master),
  email text not null unique,
  password_hash text not null,
  timezone text not null default 'UTC',
  created_at timestamptz not null default now()
);

create table sessions (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  token_hash bytea not null unique,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  last_used_at timestamptz not null default now(),
  ip text not null,
  user_agent text not null default ''
);

create table accounts (
  id uuid primary key,
  user_id uuid not null references users,
  name text not null,
  binance_mode text not null check (binance_mode in ('live', 'testnet')),
  endpoint text not null default 'exchange' check (endpoint in ('exchange', 'demo', 'paper')),
  -- rises when a testnet or paper exchange was wiped: ids of the old epoch may come again.
  epoch integer not null default 1,
  created_at timestamptz not null default now(),
  unique (user_id, name),
  check (endpoint = 'exchange' or binance_mode = 'testnet')
);

-- Plaintext on purpose (specification: no encryption at rest); only status leaves this table in a response.
create table api_keys (
  account_id uuid primary key references accounts on delete cascade,
  label text not null default '',
  api_key text not null,
  secret text not null,
  status text check (status in ('healthy', 'error')),
  cause text,
  checked_at timestamptz,
  updated_at timestamptz not null default now()
);

create table profiles (
  id uuid primary key,
  account_id uuid not null references accounts,
  name text not null,
  strategy_name text not null,
  config jsonb not null,
  enabled boolean not null default false,
  capture_until timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (account_id, name)
);

create table profile_symbols (
  profile_id uuid not null references profiles on delete cascade,
  symbol text not null,
  override_config jsonb not null default '{}',
  created_at timestamptz not null default now(),
  primary key (profile_id, symbol)
);

create table kill_switches (
  scope text not null check (scope in ('all', 'account', 'profile')),
  subject text not null,
  reason text not null default '',
  -- also stops exits ("freeze" alone is a reserved word).
  freeze_exits boolean not null default false,
  engaged_by uuid references users,
  engaged_at timestamptz not null default now(),
  -- drawn while the advisory lock is held: its place in the order of intents and halts.
  halt_order bigint not null,
  primary key (scope, subject)
);

create sequence halt_order;
create sequence fencing_number;

create table account_leases (
  account_id uuid primary key references accounts on delete cascade,
  holder text not null,
  fencing bigint not null,
  expires_at timestamptz not null
);

create table runner_states (
  profile_id uuid not null,
  symbol text not null,
  version bigint not null default 0,
  order_sequence bigint not null default 0,
  strategy_state jsonb,
  quantity numeric not null default 0,
  average_price numeric not null default 0,
  peak_quantity numeric not null default 0,
  cycle integer not null default 0,
  cycle_net numeric not null default 0,
  filled_quote numeric not null default 0,
  first_buy_at timestamptz,
  last_fill_at timestamptz,
  cooldown_until timestamptz,
  last_cycle_net numeric,
  primary key (profile_id, symbol)
);

-- Orders, fills and the ledger outlive the account and the profile that made them: no foreign keys to either.
create table orders (
  id uuid primary key,
  account_id uuid not null,
  epoch integer not null,
  profile_id uuid not null,
  symbol text not null,
  side text not null check (side in ('buy', 'sell')),
  purpose text not null check (purpose in ('entry', 'exit', 'stop', 'manual')),
  type text not null,
  quantity numeric not null,
  price numeric,
  stop_price numeric,
  client_order_id text not null,
  exchange_order_id text,
  state text not null,
  reason text not null,
  decision jsonb not null,
  filled_quantity numeric not null default 0,
  filled_quote numeric not null default 0,
  fencing bigint not null,
  halt_order bigint not null,
  send_before timestamptz not null,
  payload jsonb,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  recorded_at timestamptz not null default now(),
  unique (account_id, client_order_id)
);
create index orders_live on orders (account_id) where state in ('intent', 'open', 'partially-filled', 'unknown');
create index orders_by_symbol on orders (profile_id, symbol, created_at desc);

create table fills (
  account_id uuid not null,
  epoch integer not null,
  symbol text not null,
  trade_id text not null,
  exchange_order_id text not null,
  order_id uuid not null references orders,
  profile_id uuid not null,
  side text not null check (side in ('buy', 'sell')),
  price numeric not null,
  quantity numeric not null,
  quote_quantity numeric not null,
  fee_amount numeric not null,
  fee_asset text,
  -- value in quote of a fee paid in a third asset, at the time of the fill.
  fee_quote numeric not null default 0,
  maker boolean not null,
  realised numeric not null,
  cycle integer not null,
  -- version of the runner state after this fill: the order in which the position was folded.
  runner_version bigint not null,
  at timestamptz not null,
  recorded_at timestamptz not null default now(),
  primary key (account_id, epoch, symbol, trade_id, exchange_order_id),
  unique (profile_id, symbol, runner_version)
);
create index fills_by_order on fills (order_id);
create index fills_by_symbol on fills (profile_id, symbol, at desc);

create table ledger_entries (
  id uuid primary key,
  account_id uuid not null,
  epoch integer not null,
  profile_id uuid,
  symbol text,
  book text not null check (book in ('wallet', 'market', 'fees', 'adjustments')),
  asset text not null,
  amount numeric not null,
  reason text not null,
  trade_id text,
  at timestamptz not null,
  recorded_at timestamptz not null default now()
);
create index ledger_by_asset on ledger_entries (account_id, epoch, asset);

create table closed_cycles (
  profile_id uuid not null,
  symbol text not null,
  cycle integer not null,
  opened_at timestamptz not null,
  closed_at timestamptz not null,
  net numeric not null,
  primary key (profile_id, symbol, cycle)
);

create table action_logs (
  id uuid primary key,
  profile_id uuid not null references profiles on delete cascade,
  symbol text,
  level text not null check (level in ('debug', 'info', 'warn', 'error')),
  msg text not null,
  ctx jsonb not null default '{}',
  count bigint not null default 1,
  first_at timestamptz not null,
  last_at timestamptz not null,
  recorded_at timestamptz not null default now()
);
create index action_logs_feed on action_logs (profile_id, first_at desc, id desc);

create table audit_logs (
  id uuid primary key,
  user_id uuid,
  action text not null,
  subject text not null,
  before jsonb,
  after jsonb,
  ip text not null,
  user_agent text not null default '',
  at timestamptz not null default now()
);
create index audit_logs_feed on audit_logs (at desc, id desc);
