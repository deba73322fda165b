-- The decision rows of action_logs without their texts and numbers, for questions over weeks: a row of action_logs fills a
-- sixth of a page, one of these a hundredth. A trigger writes them, so that no writer can forget it.
create table decisions (
  id uuid primary key references action_logs on delete cascade,
  profile_id uuid not null,
  symbol text not null,
  -- The engine's refusal, else the strategy's reason.
  reason text not null,
  refused boolean not null,
  count bigint not null,
  -- Least distance of the price from a buy, in percent; null for a reason that is no distance.
  away numeric,
  first_at timestamptz not null,
  last_at timestamptz not null
) with (fillfactor = 85);

create function decision_away(reason text, ctx jsonb) returns numeric language sql immutable as $$
  select case when reason like 'entry-%' then
    substring(coalesce(ctx #>> '{lowest,away}', ctx #>> '{numbers,away}') from '^([0-9]+(\.[0-9]+)?) %$')::numeric end
$$;

insert into decisions
  select id, profile_id, symbol, coalesce(ctx #>> '{approval,reason}', ctx ->> 'reason', 'unknown'),
    coalesce(ctx #>> '{approval,kind}', '') = 'refused', count, decision_away(ctx ->> 'reason', ctx), first_at, last_at
  from action_logs where ctx ->> 'event' = 'decision' and symbol is not null;
create index decisions_of_coin on decisions (profile_id, symbol, first_at, id);

create function keep_decision() returns trigger language plpgsql as $$
begin
  insert into decisions values (new.id, new.profile_id, new.symbol,
    coalesce(new.ctx #>> '{approval,reason}', new.ctx ->> 'reason', 'unknown'),
    coalesce(new.ctx #>> '{approval,kind}', '') = 'refused',
    new.count, decision_away(new.ctx ->> 'reason', new.ctx), new.first_at, new.last_at)
  on conflict (id) do update set count = excluded.count, away = excluded.away, last_at = excluded.last_at;
  return null;
end $$;
create trigger keep_decision after insert or update on action_logs for each row
  when (new.symbol is not null and new.ctx ->> 'event' = 'decision') execute function keep_decision();
