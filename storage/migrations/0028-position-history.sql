-- What a coin of a profile held after each fill and each adjustment, with its totals until then: a period is read with
-- two rows of each coin instead of all of its fills. Rows are written by a trigger, so that no way of booking can forget it.
create table position_history (
  account_id uuid not null references accounts on delete cascade,
  -- No foreign key: the history outlives the profile.
  profile_id uuid not null,
  symbol text not null,
  -- Market time; never before the time of the row before it.
  at timestamptz not null,
  -- Of the runner state.
  version bigint not null,
  -- What is held and its cost with all fees; zero while nothing sellable backs a recorded price.
  quantity numeric not null,
  cost numeric not null,
  cost_change numeric not null,
  -- The trade: its number, whether it is open, and what it has realised so far.
  cycle integer not null,
  is_open boolean not null,
  open_change integer not null,
  cycle_net numeric not null,
  -- Sums over all fills until now: realised P&L net of all fees, fees, and fees without a known value.
  realised numeric not null,
  fees numeric not null,
  unvalued_fees bigint not null,
  primary key (account_id, profile_id, symbol, at, version)
);

create function keep_position_history() returns trigger language plpgsql as $$
declare
  mine uuid := (select account_id from profiles where id = new.profile_id);
  before position_history;
  fill fills;
  backed boolean := new.cost_basis_note is null;
  counted boolean;
begin
  if mine is null then return null; end if;
  select * into before from position_history
    where account_id = mine and profile_id = new.profile_id and symbol = new.symbol order by at desc, version desc limit 1;
  counted := coalesce(before.version = new.version, false);
  if not counted then
    select * into fill from fills
      where profile_id = new.profile_id and symbol = new.symbol and runner_version = new.version;
  end if;
  insert into position_history as kept values (
    mine, new.profile_id, new.symbol, coalesce(greatest(before.at, new.last_fill_at), clock_timestamp()), new.version,
    case when backed then new.quantity else 0 end, case when backed then new.cost else 0 end,
    case when backed then new.cost else 0 end - coalesce(before.cost, 0),
    new.cycle, new.first_buy_at is not null,
    (new.first_buy_at is not null)::integer - coalesce(before.is_open, false)::integer, new.cycle_net,
    coalesce(before.realised, 0) + coalesce(fill.realised, 0),
    coalesce(before.fees, 0) + coalesce(fill.fee_quote, 0),
    coalesce(before.unvalued_fees, 0) + (fill.trade_id is not null and fill.fee_quote is null)::integer)
  on conflict (account_id, profile_id, symbol, at, version) do update set
    quantity = excluded.quantity, cost = excluded.cost, cost_change = kept.cost_change + excluded.cost_change,
    cycle = excluded.cycle, is_open = excluded.is_open, open_change = kept.open_change + excluded.open_change,
    cycle_net = excluded.cycle_net;
  return null;
end $$;
create trigger keep_position_history after update on runner_states for each row
  when ((old.quantity, old.cost, old.last_fill_at, old.last_cycle_net, old.first_buy_at, old.cost_basis_note is null)
    is distinct from
    (new.quantity, new.cost, new.last_fill_at, new.last_cycle_net, new.first_buy_at, new.cost_basis_note is null))
  execute function keep_position_history();

-- The rows of the fills and adjustments until now, in the order in which they were recorded. The cost follows from what
-- a fill has realised (core/position/position.ts): a sale takes its proceeds less its realised P&L out of the cost.
do $$
declare
  coin record;
  step record;
  my_at timestamptz;
  my_held numeric;
  my_cost numeric;
  my_before numeric;
  my_open boolean;
  my_was_open boolean;
  my_cycle integer;
  my_cycle_net numeric;
  my_realised numeric;
  my_fees numeric;
  my_unvalued bigint;
  my_version bigint;
begin
  for coin in
    select profiles.account_id, coins.profile_id, coins.symbol, runner.quantity, runner.cost, runner.version,
      runner.cycle, runner.cycle_net, runner.first_buy_at, runner.last_fill_at, runner.cost_basis_note is null as backed
    from (select profile_id, symbol from fills union select profile_id, symbol from position_adjustments) as coins
    left join runner_states runner on runner.profile_id = coins.profile_id and runner.symbol = coins.symbol
    join (select distinct account_id, profile_id from orders union select account_id, id from profiles) as profiles
      on profiles.profile_id = coins.profile_id
  loop
    my_at := null; my_held := 0; my_cost := 0; my_open := false; my_cycle := 0; my_cycle_net := 0;
    my_realised := 0; my_fees := 0; my_unvalued := 0; my_version := 0;
    for step in
      select fills.runner_version, fills.at, false as adjusts, true as backs, fills.side, fills.quantity,
        fills.quote_quantity, fills.fee_amount, fills.fee_quote, fills.realised, fills.cycle, null::numeric as price,
        coalesce(fee_asset = coalesce(base.asset, substring(fills.symbol for length(fee_asset))), false) as in_base,
        lead(fills.cycle) over (order by fills.runner_version) is distinct from fills.cycle and exists (
          select from closed_cycles done where done.profile_id = fills.profile_id and done.symbol = fills.symbol
          and done.cycle = fills.cycle) as closes
      from fills
      left join lateral (select asset from ledger_entries row where row.account_id = fills.account_id
        and row.epoch = fills.epoch and row.symbol = fills.symbol and row.trade_id = fills.trade_id
        and row.reason = 'fill' and row.book = 'wallet'
        and row.amount = case fills.side when 'buy' then fills.quantity else -fills.quantity end limit 1) as base on true
      where fills.profile_id = coin.profile_id and fills.symbol = coin.symbol
      union all
      select runner_version, at, true, held, null, quantity, null, null, null, null, null, average_price, null, null
      from position_adjustments where profile_id = coin.profile_id and symbol = coin.symbol
      order by runner_version
    loop
      my_at := greatest(my_at, step.at); my_before := my_cost; my_was_open := my_open; my_version := step.runner_version;
      if step.adjusts then
        my_held := case when step.backs then step.quantity else 0 end;
        my_cost := trunc(my_held * step.price, 18);
        if step.backs and not my_open then my_cycle := my_cycle + 1; end if;
        if not (step.backs and my_open) then my_cycle_net := 0; end if;
        my_open := step.backs;
      else
        if step.cycle <> my_cycle then my_cycle_net := 0; end if;
        my_cycle := step.cycle;
        my_realised := my_realised + step.realised;
        my_fees := my_fees + coalesce(step.fee_quote, 0);
        my_unvalued := my_unvalued + (step.fee_quote is null)::integer;
        if step.side = 'buy' then
          my_held := my_held + step.quantity - case when step.in_base then step.fee_amount else 0 end;
          my_cost := my_cost + step.quote_quantity + case when step.in_base then 0 else coalesce(step.fee_quote, 0) end;
        else
          my_held := greatest(my_held - step.quantity - case when step.in_base then step.fee_amount else 0 end, 0);
          my_cost := my_cost + step.realised - step.quote_quantity
            + case when step.in_base then 0 else coalesce(step.fee_quote, 0) end;
        end if;
        my_open := not step.closes;
        my_cycle_net := case when step.closes then 0 else my_cycle_net + step.realised end;
      end if;
      insert into position_history values (coin.account_id, coin.profile_id, coin.symbol, my_at, my_version, my_held,
        my_cost, my_cost - my_before, my_cycle, my_open, my_open::integer - my_was_open::integer, my_cycle_net,
        my_realised, my_fees, my_unvalued);
    end loop;
    -- Where fills are missing, such as of a time that was deleted, the position is what the profile holds now.
    if coin.version is not null and coin.backed and (coin.quantity, coin.cost) is distinct from (my_held, my_cost) then
      insert into position_history values (coin.account_id, coin.profile_id, coin.symbol,
        greatest(my_at, coin.last_fill_at), greatest(coin.version, my_version + 1), coin.quantity, coin.cost,
        coin.cost - my_cost, coin.cycle, coin.first_buy_at is not null,
        (coin.first_buy_at is not null)::integer - my_open::integer, coin.cycle_net, my_realised, my_fees, my_unvalued);
    end if;
  end loop;
end $$;

-- Deposits and withdrawals are few among the rows of the ledger.
create index ledger_outside on ledger_entries (account_id, at) where book = 'outside';
