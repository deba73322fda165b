-- The Telegram chat whose messages are commands of the operator; at most one.
create table chat (
  one boolean primary key default true check (one),
  user_id uuid not null references users on delete cascade,
  bot_token text not null check (length(bot_token) between 3 and 200),
  server_url text not null,
  chat_id text not null check (chat_id ~ '^-?[0-9]{1,20}$'),
  -- Telegram users whose messages count.
  user_ids text[] not null check (cardinality(user_ids) between 1 and 20),
  enabled boolean not null,
  -- Messages of an earlier time are ignored.
  since timestamptz not null default clock_timestamp(),
  -- The newest update whose effect is stored, and the newest one that was answered. An effect and its update are one
  -- transaction.
  handled_update bigint not null default 0,
  handled_at timestamptz not null default clock_timestamp(),
  answered_update bigint not null default 0,
  -- Messages of other chats and users.
  ignored bigint not null default 0,
  -- Why the last request to Telegram failed; null after a success.
  problem text,
  -- The command that waits for its code: SHA-256 of the code and of the exact command.
  code_hash bytea check (length(code_hash) = 32),
  code_intent jsonb,
  code_expires_at timestamptz,
  code_tries integer not null default 0,
  check (num_nulls(code_hash, code_intent, code_expires_at) in (0, 3))
);

-- Its message was sent to the chat.
alter table proposals add column announced_at timestamptz;
