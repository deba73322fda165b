-- Limits of the operator as core/risk.ts riskLimits; an absent one is no limit.
alter table accounts add column risk_limits jsonb not null default '{}';
alter table profiles add column risk_limits jsonb not null default '{}';

-- A pause ends by itself at paused_until (wall time).
alter table profile_symbols
  add column paused_until timestamptz,
  add column paused_at timestamptz,
  add column pause_reason text not null default '';

-- Buys that rest on the exchange are cancelled while the switch is engaged.
alter table kill_switches add column cancel_entries boolean not null default false;

create index fills_by_time on fills (account_id, at);
create index orders_by_time on orders (account_id, created_at);
create index closed_cycles_by_time on closed_cycles (profile_id, closed_at desc);
