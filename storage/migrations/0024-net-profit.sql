-- Profit is net of all fees from now on (core/position.ts): a sale also bears its share of the fees of the buys, and every
-- fee has its value in quote. What is stored is computed again in the order in which it was booked, and a receipt goes
-- into the audit log.

alter table runner_states add column cost numeric not null default 0 check (cost >= 0);

-- Amounts keep 18 decimals and are cut, not rounded, as in core/decimal.ts.
create or replace function pg_temp.times(a numeric, b numeric) returns numeric language sql immutable as $$ select trunc(a * b, 18) $$;
create or replace function pg_temp.over(a numeric, b numeric) returns numeric language sql immutable as
  $$ select div(a * 1000000000000000000, b) * 0.000000000000000001 $$;

create temporary table profit_steps (
  profile_id uuid, symbol text, recorded_at timestamptz, version bigint, realised numeric, cost_change numeric
) on commit drop;

alter table fills disable trigger fill_stays;
do $$
declare
  coin record;
  step record;
  my_held numeric;
  my_average numeric;
  my_cost numeric;
  my_net numeric;
  my_running integer;
  my_received numeric;
  my_gone numeric;
  my_rest numeric;
  my_fee numeric;
  my_kept numeric;
  my_gain numeric;
  before_sum numeric;
  after_sum numeric;
begin
  select coalesce(sum(realised), 0) into before_sum from fills;
  for coin in select distinct profile_id, symbol from fills union select profile_id, symbol from runner_states loop
    my_held := 0; my_average := 0; my_cost := 0; my_net := 0; my_running := null;
    for step in
      select fills.runner_version, fills.recorded_at, false as adjusts, false as backs, fills.side,
        fills.quantity, fills.price, fills.quote_quantity, fills.fee_amount, fills.fee_quote, fills.cycle,
        coalesce(fee_asset = coalesce(base.asset, substring(fills.symbol for length(fee_asset))), false) as in_base,
        coalesce(fee_asset = coalesce(quote.asset, right(fills.symbol, length(fee_asset))), false) as in_quote,
        lead(fills.cycle) over (order by fills.runner_version) is distinct from fills.cycle and exists (
          select from closed_cycles done where done.profile_id = fills.profile_id and done.symbol = fills.symbol
          and done.cycle = fills.cycle) as closes
      from fills
      left join lateral (select asset from ledger_entries row where row.account_id = fills.account_id
        and row.epoch = fills.epoch and row.symbol = fills.symbol and row.trade_id = fills.trade_id
        and row.reason = 'fill' and row.book = 'wallet'
        and row.amount = case fills.side when 'buy' then fills.quantity else -fills.quantity end limit 1) as base on true
      left join lateral (select asset from ledger_entries row where row.account_id = fills.account_id
        and row.epoch = fills.epoch and row.symbol = fills.symbol and row.trade_id = fills.trade_id
        and row.reason = 'fill' and row.book = 'wallet' and row.asset <> base.asset limit 1) as quote on true
      where fills.profile_id = coin.profile_id and fills.symbol = coin.symbol
      union all
      select runner_version, at, true, position_adjustments.held, null, quantity, average_price, null, null, null, null,
        null, null, null
      from position_adjustments where profile_id = coin.profile_id and symbol = coin.symbol
      order by runner_version
    loop
      my_kept := my_cost;
      if step.adjusts then
        my_held := step.quantity; my_average := step.price; my_cost := pg_temp.times(my_held, my_average);
        if not step.backs then my_net := 0; my_running := null; end if;
        insert into profit_steps
          values (coin.profile_id, coin.symbol, step.recorded_at, step.runner_version, 0, my_cost - my_kept);
        continue;
      end if;
      if step.cycle is distinct from my_running then my_net := 0; my_running := step.cycle; end if;
      my_gain := 0;
      my_fee := case when step.in_base then 0 when step.in_quote then step.fee_amount else coalesce(step.fee_quote, 0) end;
      if step.side = 'buy' then
        my_received := step.quantity - case when step.in_base then step.fee_amount else 0 end;
        if my_held + my_received > 0 then
          my_average := pg_temp.over(pg_temp.times(my_average, my_held) + pg_temp.times(step.price, my_received), my_held + my_received);
        end if;
        my_held := my_held + my_received;
        my_cost := my_cost + step.quote_quantity + my_fee;
      else
        my_gone := step.quantity + case when step.in_base then step.fee_amount else 0 end;
        my_rest := greatest(my_held - my_gone, 0);
        if my_rest = 0 then my_average := 0; end if;
        if my_rest = 0 or step.closes then
          my_cost := pg_temp.times(my_rest, my_average);
        else
          my_cost := my_cost - pg_temp.over(pg_temp.times(my_cost, my_gone), my_held);
        end if;
        my_held := my_rest;
        my_gain := step.quote_quantity - my_fee - (my_kept - my_cost);
        my_net := my_net + my_gain;
      end if;
      update fills set realised = my_gain, fee_quote = case
          when step.in_base then pg_temp.times(step.fee_amount, step.price) when step.in_quote then step.fee_amount
          when step.fee_amount = 0 then 0 else fee_quote end
        where profile_id = coin.profile_id and symbol = coin.symbol and runner_version = step.runner_version;
      insert into profit_steps
        values (coin.profile_id, coin.symbol, step.recorded_at, step.runner_version, my_gain, my_cost - my_kept);
    end loop;
    update runner_states set
      -- Where fills are missing, such as of a time that was deleted, the plain price is all that is known.
      cost = case when my_held = quantity then my_cost else pg_temp.times(quantity, average_price) end,
      cycle_net = case when first_buy_at is null then 0 else my_net end
    where profile_id = coin.profile_id and symbol = coin.symbol;
  end loop;

  create temporary table profit_totals on commit drop as
    select profile_id, recorded_at, row_number() over done as nth, sum(realised) over done as realised,
      sum(cost_change) over done as cost
    from profit_steps window done as (partition by profile_id order by recorded_at, version, symbol);
  create index on profit_totals (profile_id, recorded_at, nth);
  update equity_snapshots set realised = coalesce(total.realised, 0), position_cost = coalesce(total.cost, 0)
  from equity_snapshots as shot left join lateral (
    select realised, cost from profit_totals
    where profit_totals.profile_id = shot.profile_id and recorded_at <= shot.at
    order by recorded_at desc, nth desc limit 1
  ) as total on true
  where equity_snapshots.profile_id = shot.profile_id and equity_snapshots.at = shot.at;

  select coalesce(sum(realised), 0) into after_sum from fills;
  if exists (select from fills) then
    insert into audit_logs (id, user_id, action, subject, before, after, ip, user_agent)
    values (gen_random_uuid(), null, 'profit.recomputed', 'fills', jsonb_build_object('realised', before_sum),
      jsonb_build_object('realised', after_sum, 'sales', (select count(*) from fills where side = 'sell'),
        'equitySnapshots', (select count(*) from equity_snapshots)), '', '');
  end if;
end $$;
alter table fills enable trigger fill_stays;
