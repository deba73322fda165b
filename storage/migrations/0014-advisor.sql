-- Whom the backtest advisor asks. Plaintext on purpose, like api_keys: it can spend, and never leaves in a response.
create table ai_provider_config (
  user_id uuid primary key references users on delete cascade,
  provider text not null check (provider in ('anthropic', 'openai-compatible')),
  base_url text not null,
  model text not null,
  credential_kind text check (credential_kind in ('console-key', 'oauth-token', 'endpoint-key')),
  credential text,
  updated_at timestamptz not null default now(),
  check ((credential is null) = (credential_kind is null))
);

-- The last answer to one question about a backtest. A question is taken once: whether one that was broken off was
-- answered, and paid for, is not known, so it is never put again by itself.
create table backtest_advisor_slots (
  run_id uuid not null references backtest_runs on delete cascade,
  slot text not null check (slot in ('safe', 'ride-trend', 'trade-more', 'aggressive', 'defensive', 'manual')),
  ask_id uuid not null,
  state text not null check (state in ('running', 'done', 'failed')),
  taken_at timestamptz,
  model text,
  advice jsonb not null default '{}',
  error text,
  asked_at timestamptz not null default now(),
  finished_at timestamptz,
  primary key (run_id, slot)
);
