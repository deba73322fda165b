-- The schema refuses what only a faulty program would write (docs/decisions/0033-strict-records.md).

-- Each rule is tried on the stored rows first, so that a violation names the rows.
do $$
declare
  rule record;
  found text;
begin
  for rule in select * from (values
    ('orders', 'orders_state_check', 'id::text', $check$state in ('intent', 'open', 'partially-filled', 'filled',
      'cancelled', 'expired', 'rejected', 'unknown', 'never-arrived')$check$),
    ('orders', 'orders_form_check', 'id::text', $check$type in ('market', 'trailing-stop')
      or type = 'limit' and price is not null or type = 'stop-loss' and stop_price is not null
      or type = 'stop-loss-limit' and price is not null and stop_price is not null$check$),
    ('orders', 'orders_amounts_check', 'id::text', $check$quantity > 0 and price > 0 and stop_price > 0
      and filled_quantity between 0 and quantity$check$),
    ('orders', 'orders_fencing_check', 'id::text', 'fencing >= 0'),
    ('fills', 'fills_amounts_check', $name$symbol || ' ' || trade_id$name$,
      'quantity > 0 and price > 0 and quote_quantity >= 0'),
    ('runner_states', 'runner_states_amounts_check', $name$profile_id || ' ' || symbol$name$,
      'quantity >= 0 and average_price >= 0'),
    ('position_adjustments', 'position_adjustments_amounts_check', $name$profile_id || ' ' || symbol$name$,
      'quantity >= 0 and average_price >= 0')
  ) as rules (table_name, name, row_name, condition) loop
    execute format('select string_agg(row_name, '', '') from (select %s as row_name from %I where not (%s) limit 5) as few',
      rule.row_name, rule.table_name, rule.condition) into found;
    if found is not null then
      raise exception 'rows of % break the rule %: %. Correct them with the version before, then upgrade again (docs/operator/upgrade.md).',
        rule.table_name, rule.name, found;
    end if;
    execute format('alter table %I add constraint %I check (%s)', rule.table_name, rule.name, rule.condition);
  end loop;
  for rule in select * from (values
    ('two orders have one exchange order id', $rows$select symbol || ' ' || exchange_order_id from orders
      where exchange_order_id is not null group by account_id, epoch, symbol, exchange_order_id having count(*) > 1$rows$),
    ('one trade is recorded for two orders', $rows$select symbol || ' ' || trade_id from fills
      group by account_id, epoch, symbol, trade_id, side having count(*) > 1$rows$),
    ('a trade is in the ledger twice', $rows$select symbol || ' ' || trade_id from ledger_entries where reason = 'fill'
      group by account_id, epoch, symbol, trade_id, book, asset, amount > 0 having count(*) > 1$rows$),
    ('two profiles of one account have the same coin', $rows$select profile_symbols.symbol || ' of ' || string_agg(name, ' and ')
      from profile_symbols join profiles on profiles.id = profile_id
      group by account_id, profile_symbols.symbol having count(*) > 1$rows$)
  ) as rules (what, rows) loop
    execute format('select string_agg(row_name, '', '') from (select * from (%s) as found (row_name) limit 5) as few',
      rule.rows) into found;
    if found is not null then
      raise exception '%: %. Correct them with the version before, then upgrade again (docs/operator/upgrade.md).',
        rule.what, found;
    end if;
  end loop;
end $$;

-- An exchange order id names one order, and a trade has one buyer and one seller: a trade with oneself has a row for each.
create unique index orders_by_exchange_id on orders (account_id, epoch, symbol, exchange_order_id)
  where exchange_order_id is not null;
create unique index fills_by_trade on fills (account_id, epoch, symbol, trade_id, side);
-- The two sides of a trade with oneself differ in sign. Fee rows are written in the statement of their fill.
create unique index ledger_by_trade on ledger_entries (account_id, epoch, symbol, trade_id, book, asset, (amount > 0))
  where reason = 'fill';

-- A coin has one owner on an account. The column is filled by the trigger and repeats the profile's.
alter table profiles add unique (id, account_id);
alter table profile_symbols add column on_account uuid;
update profile_symbols set on_account = profiles.account_id from profiles where profiles.id = profile_id;
create function set_account_of_coin() returns trigger language plpgsql as $$
begin
  new.on_account := (select account_id from profiles where id = new.profile_id);
  return new;
end $$;
create trigger set_account_of_coin before insert on profile_symbols
  for each row execute function set_account_of_coin();
alter table profile_symbols
  alter column on_account set not null,
  add unique (on_account, symbol),
  drop constraint profile_symbols_profile_id_fkey,
  add constraint profile_symbols_profile_id_fkey foreign key (profile_id, on_account)
    references profiles (id, account_id) on delete cascade;

-- The condition of the trigger decides: an allowed write never calls this.
create function refuse_write() returns trigger language plpgsql as $$
begin
  raise exception using errcode = 'integrity_constraint_violation', constraint = tg_name, table = tg_table_name,
    message = tg_argv[0];
end $$;

create function require_order_of_profile() returns trigger language plpgsql as $$
begin
  if exists (select from profiles where id = new.profile_id and account_id = new.account_id) then return null; end if;
  raise exception using errcode = 'integrity_constraint_violation', constraint = tg_name, table = tg_table_name,
    message = 'An order needs a profile that exists, on the account of the order.';
end $$;
create trigger order_of_profile after insert on orders for each row execute function require_order_of_profile();

-- storage/order-moves.ts
create trigger order_moves before update of state on orders for each row
  when (old.state <> new.state and not case old.state
    when 'intent' then true
    when 'unknown' then new.state not in ('intent')
    when 'open' then new.state in ('partially-filled', 'filled', 'cancelled', 'expired', 'rejected')
    when 'partially-filled' then new.state in ('filled', 'cancelled', 'expired')
    when 'never-arrived' then new.state in ('open', 'partially-filled', 'filled', 'cancelled', 'expired')
    else false end)
  execute function refuse_write('An order may not return to an earlier state, and a final state is never left.');

create trigger order_stays before update on orders for each row
  when ((old.id, old.account_id, old.epoch, old.profile_id, old.symbol, old.side, old.purpose, old.type, old.quantity,
      old.price, old.stop_price, old.client_order_id, old.fencing, old.halt_order)
    is distinct from (new.id, new.account_id, new.epoch, new.profile_id, new.symbol, new.side, new.purpose, new.type,
      new.quantity, new.price, new.stop_price, new.client_order_id, new.fencing, new.halt_order)
    or (old.exchange_order_id <> new.exchange_order_id) is not false and old.exchange_order_id is not null
    or new.filled_quantity < old.filled_quantity or new.filled_quote < old.filled_quote)
  execute function refuse_write('An order keeps what it was committed with, and its filled amounts never fall.');

-- After the insert: a fill that is known already is none.
create function require_fill_of_order() returns trigger language plpgsql as $$
declare
  ordered orders;
begin
  select * into ordered from orders where id = new.order_id for no key update;
  if (ordered.account_id, ordered.profile_id, ordered.symbol, ordered.side)
      is distinct from (new.account_id, new.profile_id, new.symbol, new.side)
    or ordered.exchange_order_id <> new.exchange_order_id then
    raise exception using errcode = 'integrity_constraint_violation', constraint = tg_name, table = tg_table_name,
      message = format('Trade %s of %s does not belong to order %s.', new.trade_id, new.symbol, new.order_id);
  end if;
  if (select sum(quantity) from fills where order_id = new.order_id) > ordered.quantity then
    raise exception using errcode = 'integrity_constraint_violation', constraint = tg_name, table = tg_table_name,
      message = format('With trade %s of %s more is filled than order %s asked for.', new.trade_id, new.symbol, new.order_id);
  end if;
  return null;
end $$;
create trigger fill_of_order after insert on fills for each row execute function require_fill_of_order();

-- Only the deletion of an account removes its history; it names the account in this setting (storage/accounts.ts).
create trigger fill_stays before update or delete on fills for each row
  when (current_setting('tradewind.deleted_account', true) is distinct from old.account_id::text)
  execute function refuse_write('A fill is never changed and never deleted.');
create trigger ledger_stays before update or delete on ledger_entries for each row
  when (current_setting('tradewind.deleted_account', true) is distinct from old.account_id::text)
  execute function refuse_write('A ledger row is never changed and never deleted.');
create trigger order_is_kept before delete on orders for each row
  when (current_setting('tradewind.deleted_account', true) is distinct from old.account_id::text)
  execute function refuse_write('An order is never deleted.');

-- A number that was not drawn just now may be one of an earlier owner.
create trigger fencing_is_new before insert on account_leases for each row
  when (new.fencing is distinct from currval('fencing_number'))
  execute function refuse_write('A lease needs a new fencing number.');
create trigger fencing_rises before update on account_leases for each row
  when (new.fencing < old.fencing or new.account_id <> old.account_id)
  execute function refuse_write('The fencing number of a lease never falls.');
