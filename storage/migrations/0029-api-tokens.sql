-- Tokens for programs. Only the SHA-256 of a token is stored.
create table api_tokens (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  name text not null check (length(name) between 1 and 60),
  token_hash bytea not null unique check (length(token_hash) = 32),
  -- The last six characters, to tell tokens apart.
  hint text not null,
  scopes text[] not null check (cardinality(scopes) > 0 and scopes <@ array['read', 'research', 'trade', 'manage']),
  -- Null: every account.
  account_ids uuid[] check (cardinality(account_ids) > 0),
  created_at timestamptz not null,
  expires_at timestamptz not null check (expires_at > created_at),
  last_used_at timestamptz,
  last_ip text,
  revoked_at timestamptz
);

-- Who made a change, when it was not a session: {kind, id, name}.
alter table audit_logs add column actor jsonb;
