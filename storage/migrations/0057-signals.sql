-- A program outside asks a profile for a buy or a sale. Only the SHA-256 of the secret of an inlet is stored.
create table signal_inlets (
  -- 128 random bits; a part of the address to which signals are sent.
  id text primary key check (id ~ '^[A-Za-z0-9_-]{22}$'),
  profile_id uuid not null references profiles on delete cascade,
  name text not null check (length(name) between 1 and 60),
  secret_hash bytea not null check (length(secret_hash) = 32),
  -- A signal that is older is refused, and a recorded one places no order later than this after its time.
  max_age_seconds integer not null check (max_age_seconds between 5 and 900),
  created_at timestamptz not null default clock_timestamp(),
  secret_at timestamptz not null default clock_timestamp()
);
create index signal_inlets_by_profile on signal_inlets (profile_id, created_at);

-- No foreign key to the inlet: the record outlives it.
create table signals (
  id uuid primary key,
  inlet_id text not null,
  inlet_name text not null,
  profile_id uuid not null references profiles on delete cascade,
  -- What makes it the same signal again: the id of the sender, else symbol, action and time.
  key text not null check (length(key) between 1 and 200),
  symbol text not null check (symbol ~ '^[A-Z0-9]{2,30}$'),
  action text not null check (action in ('buy', 'sell', 'close')),
  -- When the sender sent it, as it says.
  at timestamptz not null,
  received_at timestamptz not null default clock_timestamp(),
  valid_until timestamptz not null,
  state text not null check (state in ('pending', 'used', 'ended', 'refused')),
  -- Code and numbers of the last answer; null while there is none.
  reason text,
  numbers jsonb not null default '{}',
  order_id uuid unique,
  -- When it was used, ended or refused.
  ended_at timestamptz,
  unique (inlet_id, key),
  check ((state = 'used') = (order_id is not null)),
  check ((state = 'pending') = (ended_at is null))
);
create index signals_by_profile on signals (profile_id, received_at desc, id desc);
create index signals_by_coin on signals (profile_id, symbol, at desc);
create unique index signals_pending on signals (profile_id, symbol) where state = 'pending';
create index signals_by_age on signals (received_at);

create trigger signal_stays before update on signals for each row
  when ((old.id, old.inlet_id, old.profile_id, old.key, old.symbol, old.action, old.at, old.received_at, old.valid_until)
    is distinct from (new.id, new.inlet_id, new.profile_id, new.key, new.symbol, new.action, new.at, new.received_at,
      new.valid_until)
    or old.state <> 'pending')
  execute function refuse_write('A signal keeps what it asks for, and has one outcome.');

-- Runs in the commit of the intent of an order, after its row was written. It takes the signal for this order, once and in
-- time, or refuses the whole commit with a code of core/decision/decision.ts.
create function take_signal(signal uuid, intent uuid) returns text language plpgsql as $$
declare
  made orders;
  known signals;
begin
  select * into made from orders where id = intent;
  if made.id is null then return null; end if;
  update signals set state = 'used', order_id = made.id, ended_at = clock_timestamp(), reason = made.reason
    where id = signal and state = 'pending' and valid_until > clock_timestamp()
      and profile_id = made.profile_id and symbol = made.symbol and (action = 'buy') = (made.side = 'buy');
  if found then return made.client_order_id; end if;
  select * into known from signals where id = signal;
  perform refuse_proposal(case when known.state = 'pending' and known.valid_until <= clock_timestamp()
    then 'signal-expired' else 'signal-used' end, '{}');
  return null;
end $$;
