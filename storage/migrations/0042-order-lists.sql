-- Two orders of one list on the exchange: a stop below the price and a target above it. Both have the quantity of the list,
-- and together they sell no more than that.
alter table orders add column list_id text;
alter table orders drop constraint orders_purpose_check;
alter table orders
  add constraint orders_purpose_check check (purpose in ('entry', 'exit', 'stop', 'target', 'manual')),
  add constraint orders_list_legs check (
    (purpose <> 'target' or list_id is not null) and (list_id is null or (purpose in ('stop', 'target') and side = 'sell')));
create unique index orders_list_leg on orders (account_id, list_id, purpose) where list_id is not null;

create trigger order_list_stays before update of list_id on orders for each row
  when (old.list_id is distinct from new.list_id)
  execute function refuse_write('An order stays in the order list that it was committed with.');

-- After the insert: a fill that is known already is none.
create function require_fill_of_list() returns trigger language plpgsql as $$
declare
  ordered orders;
begin
  select * into ordered from orders where id = new.order_id;
  if ordered.list_id is null then return null; end if;
  if (select sum(fills.quantity) from fills join orders on orders.id = fills.order_id
      where orders.account_id = ordered.account_id and orders.list_id = ordered.list_id) > ordered.quantity then
    raise exception using errcode = 'integrity_constraint_violation', constraint = tg_name, table = tg_table_name,
      message = format('With trade %s of %s the legs of a list sold more than the list holds.', new.trade_id, new.symbol);
  end if;
  return null;
end $$;
create trigger fill_of_list after insert on fills for each row execute function require_fill_of_list();
