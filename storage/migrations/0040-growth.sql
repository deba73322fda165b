-- Reads whose cost does not grow with the years (docs/performance.md).

-- The fills of one trade.
create index fills_by_cycle on fills (profile_id, symbol, cycle);
-- The closed trades of one coin.
create index closed_cycles_of_coin on closed_cycles (profile_id, symbol, closed_at desc);
-- A log of one coin, and of what went wrong: rows that are rare among the others.
create index action_logs_of_coin on action_logs (profile_id, symbol, first_at desc, id desc);
create index action_logs_of_trouble on action_logs (profile_id, first_at desc, id desc) where level in ('warn', 'error');
create index audit_logs_by_subject on audit_logs (subject, at desc, id desc);
-- Corrections of the rows of a fill; ledger_by_trade has the rows of the fills themselves.
create index ledger_corrections on ledger_entries (account_id, epoch, symbol, trade_id)
  where reason <> 'fill' and trade_id is not null;

-- Closed trades of a profile, summed over each quarter of an hour: every time zone begins its days at one of them.
create table closed_totals (
  -- No foreign key: the history outlives the profile.
  profile_id uuid not null,
  slot timestamptz not null,
  trades integer not null,
  wins integer not null,
  losses integer not null,
  net numeric not null,
  gross_profit numeric not null,
  gross_loss numeric not null,
  primary key (profile_id, slot)
);

create function slot_of(moment timestamptz) returns timestamptz language plpgsql immutable parallel safe as $$
begin
  return date_bin('15 minutes', moment, '2000-01-01T00:00:00Z');
end $$;

create function keep_closed_totals() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    update closed_totals set trades = trades - 1, wins = wins - (old.net > 0)::integer,
      losses = losses - (old.net < 0)::integer, net = net - old.net,
      gross_profit = gross_profit - greatest(old.net, 0), gross_loss = gross_loss - least(old.net, 0)
    where profile_id = old.profile_id and slot = slot_of(old.closed_at);
  end if;
  if tg_op <> 'DELETE' then
    insert into closed_totals as total values (new.profile_id, slot_of(new.closed_at), 1, (new.net > 0)::integer,
      (new.net < 0)::integer, new.net, greatest(new.net, 0), least(new.net, 0))
    on conflict (profile_id, slot) do update set trades = total.trades + 1, wins = total.wins + excluded.wins,
      losses = total.losses + excluded.losses, net = total.net + excluded.net,
      gross_profit = total.gross_profit + excluded.gross_profit, gross_loss = total.gross_loss + excluded.gross_loss;
  end if;
  return null;
end $$;
create trigger keep_closed_totals after insert or update of profile_id, closed_at, net or delete on closed_cycles
  for each row execute function keep_closed_totals();

insert into closed_totals
  select profile_id, slot_of(closed_at), count(*), count(*) filter (where net > 0), count(*) filter (where net < 0),
    sum(net), coalesce(sum(net) filter (where net > 0), 0), coalesce(sum(net) filter (where net < 0), 0)
  from closed_cycles group by 1, 2;
