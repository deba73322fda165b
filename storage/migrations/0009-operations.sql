-- Every config a profile has had. Written by a trigger, so that no way of saving one can forget it.
create table profile_configs (
  profile_id uuid not null references profiles on delete cascade,
  version integer not null,
  strategy_name text not null,
  config jsonb not null,
  at timestamptz not null default clock_timestamp(),
  primary key (profile_id, version)
);

create function keep_profile_config() returns trigger language plpgsql as $$
begin
  insert into profile_configs (profile_id, version, strategy_name, config)
  select new.id, coalesce(max(version), 0) + 1, new.strategy_name, new.config
  from profile_configs where profile_id = new.id;
  return null;
end $$;

create trigger keep_new_profile_config after insert on profiles
  for each row execute function keep_profile_config();
create trigger keep_changed_profile_config after update of config, strategy_name on profiles
  for each row when (old.config is distinct from new.config or old.strategy_name is distinct from new.strategy_name)
  execute function keep_profile_config();

insert into profile_configs (profile_id, version, strategy_name, config, at)
select id, 1, strategy_name, config, updated_at from profiles;

-- Settings of the whole installation: retention, backup, ops-notify. An absent row or field has its default (core).
create table service_settings (
  name text primary key,
  value jsonb not null,
  updated_at timestamptz not null default now()
);

-- Plaintext on purpose, like api_keys; secrets never leave in a response.
create table profile_notifiers (
  profile_id uuid not null references profiles on delete cascade,
  provider text not null,
  enabled boolean not null,
  config jsonb not null,
  secrets jsonb not null,
  updated_at timestamptz not null default now(),
  primary key (profile_id, provider)
);

-- What a profile was worth, and the prices of its coins at that moment, for the comparison with holding.
create table equity_snapshots (
  profile_id uuid not null references profiles on delete cascade,
  at timestamptz not null,
  realised numeric not null,
  position_value numeric not null,
  position_cost numeric not null,
  prices jsonb not null,
  primary key (profile_id, at)
);

create table prune_receipts (
  id uuid primary key,
  at timestamptz not null default now(),
  ok boolean not null,
  error text,
  deleted jsonb not null,
  settings jsonb not null
);

create table diagnosis_runs (
  id uuid primary key,
  profile_id uuid not null references profiles on delete cascade,
  status text not null check (status in ('queued', 'running', 'done', 'error')),
  report jsonb,
  error text,
  started_at timestamptz not null default now(),
  finished_at timestamptz
);
create index diagnosis_runs_by_profile on diagnosis_runs (profile_id, started_at desc);

create index audit_logs_by_action on audit_logs (action, at desc, id desc);
create index fills_of_profile on fills (profile_id, at desc);
