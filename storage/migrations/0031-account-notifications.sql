-- Notifiers of an account receive the events of all its profiles. Plaintext on purpose, like api_keys; secrets never leave
-- in a response. An account has one notifier of each kind, and one of kind push for each browser.
create table account_notifiers (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  provider text not null,
  -- The browser, in words; empty for other kinds.
  label text not null,
  enabled boolean not null,
  config jsonb not null,
  secrets jsonb not null,
  updated_at timestamptz not null default now()
);
create unique index account_notifiers_kind on account_notifiers (account_id, provider) where provider <> 'push';
create unique index account_notifiers_browser on account_notifiers (account_id, (secrets ->> 'endpoint'))
  where provider = 'push';

-- Results of the last messages of an account, successful or not.
create table notification_deliveries (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  at timestamptz not null default now(),
  event text not null,
  title text not null,
  -- Kind of notifier, or the browser.
  channel text not null,
  error text
);
create index notification_deliveries_by_account on notification_deliveries (account_id, id desc);

-- The key pair that signs browser notifications, made at first use; one for the installation.
create table push_keys (
  single boolean primary key default true check (single),
  public_key text not null,
  private_key text not null,
  created_at timestamptz not null default now()
);

-- A message when the price of a coin crosses a level, or moves by a percentage within a time.
create table price_alerts (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  symbol text not null,
  kind text not null check (kind in ('above', 'below', 'move')),
  price numeric check (price > 0),
  percent numeric check (percent > 0),
  minutes integer check (minutes > 0),
  -- Of a level: whether the price was on the other side since the alert was armed.
  ready boolean not null default false,
  -- Null while it is armed.
  triggered_at timestamptz,
  triggered_price numeric,
  armed_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  check ((kind = 'move') = (price is null) and (kind = 'move') = (percent is not null and minutes is not null))
);
create index price_alerts_by_account on price_alerts (account_id, created_at);
