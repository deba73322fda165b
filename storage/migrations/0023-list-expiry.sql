-- A list of the cache store leaves when nothing was appended to it for so long.
alter table cache_list_heads add column expires_at timestamptz;
