-- Every version of a strategy file that was seen, by the SHA-256 of its content. Profiles, orders, runs and trials name a
-- version as `name@hash`. The source is kept, so that a backup and another host can run it.
create table strategy_versions (
  hash text primary key check (hash ~ '^[0-9a-f]{64}$'),
  name text not null,
  file text not null,
  source text not null,
  -- What the file declares, without its functions, and its indicators for the default settings.
  description jsonb not null,
  declared jsonb not null,
  -- The file of the data folder has this content now.
  present boolean not null default true,
  certificate jsonb,
  -- Why the version may not buy: it hung or failed too often.
  quarantine jsonb,
  seen_at timestamptz not null default now()
);
create index strategy_versions_name on strategy_versions (name, seen_at);
