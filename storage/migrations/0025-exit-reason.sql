-- A closed trade says why it was closed: the reason of the order of its last sale. Stops that were placed by former
-- versions keep `exit-protective-stop`, as their orders do not name the level they stood at.

alter table closed_cycles add column exit_reason text;

update closed_cycles done set exit_reason = (
  select orders.reason from fills join orders on orders.id = fills.order_id
  where fills.profile_id = done.profile_id and fills.symbol = done.symbol
    and fills.cycle = done.cycle and fills.side = 'sell'
  order by fills.runner_version desc limit 1
);
