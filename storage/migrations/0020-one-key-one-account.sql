-- An API key belongs to one account. Of accounts that share one already, the oldest keeps it. The others are marked: they
-- sell, but buy nothing, until a key of their own is stored.
alter table api_keys add column shared boolean not null default false;
update api_keys set shared = true, status = 'error',
  cause = format('The account "%s" has the same API key: store a key of its own for this account.', first.name)
from (
  select account_id, first_value(accounts.id) over same_key as id, first_value(name) over same_key as name
  from api_keys join accounts on accounts.id = account_id
  window same_key as (partition by api_key order by created_at, accounts.id)
) as first
where first.account_id = api_keys.account_id and first.id <> api_keys.account_id;
create unique index api_keys_of_one_account on api_keys (api_key) where not shared;
