-- What the operator asks the worker to do: written by the api in the transaction of its audit row, taken by the owner of
-- the account's lease, finished once.
create table operator_actions (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  -- No foreign key: the outcome outlives a profile that the action deletes.
  profile_id uuid,
  symbol text,
  kind text not null,
  payload jsonb not null default '{}',
  requested_by uuid references users on delete set null,
  requested_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  state text not null default 'pending' check (state in ('pending', 'taken', 'done', 'refused', 'expired')),
  -- Of the lease under which it was taken last.
  fencing bigint,
  reason text,
  detail jsonb not null default '{}',
  finished_at timestamptz,
  check ((state in ('done', 'refused', 'expired')) = (finished_at is not null)),
  check (symbol is null or profile_id is not null)
);
create index operator_actions_open on operator_actions (account_id, requested_at, id) where state in ('pending', 'taken');

-- An action makes at most one order: the second intent of the same action cannot commit.
alter table orders add column action_id uuid;
create unique index orders_by_action on orders (action_id) where action_id is not null;

-- What an order's proof shows beyond the order, its fills and its ledger rows; written behind, never read to trade.
create table order_evidence (
  id uuid primary key,
  order_id uuid not null,
  kind text not null,
  -- Wall time.
  at timestamptz not null,
  detail jsonb not null
);
create index order_evidence_by_order on order_evidence (order_id, at, id);
create index order_evidence_by_time on order_evidence (at);
