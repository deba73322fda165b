-- The cache store of an installation without Redis or Valkey. Unlogged: fast, and empty after the server was killed;
-- nothing here is the only copy of anything that moves money.
create unlogged table cache_entries (
  key text collate "C" primary key,
  value text not null,
  expires_at timestamptz
);
create index cache_entries_expiry on cache_entries (expires_at) where expires_at is not null;

-- One row per list: the number of its newest entry and how many entries count.
create unlogged table cache_list_heads (
  key text collate "C" primary key,
  last bigint not null,
  cap bigint not null
);

-- Entries are numbered without gaps; those at or below last - cap are gone for readers and trimmed now and then.
create unlogged table cache_lists (
  key text collate "C" not null,
  seq bigint not null,
  value text not null,
  primary key (key, seq)
);

-- Window counters: the times of the latest hits of a key.
create unlogged table cache_hits (
  key text collate "C" primary key,
  hits timestamptz[] not null,
  expires_at timestamptz not null
);
