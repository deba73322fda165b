-- The order of settings and indicators has a meaning: forms show it, and an indicator may read an earlier one. `jsonb`
-- sorts the names. The worker stores the versions of the present files again when it starts.
alter table strategy_versions alter column description type json, alter column declared type json;
-- The indicators that a version declares for settings other than its defaults. The api draws them and never runs a file.
create table strategy_declarations (
  hash text not null references strategy_versions (hash) on delete cascade,
  settings_hash text not null check (settings_hash ~ '^[0-9a-f]{64}$'),
  declared json not null,
  primary key (hash, settings_hash)
);
