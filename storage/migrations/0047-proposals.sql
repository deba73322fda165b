-- A token proposes an order, the operator approves it, and the ordinary path of an operator action carries it out.

-- Budget of a token, in one quote asset. Null: what it proposes may not buy.
alter table api_tokens
  add column budget_asset text check (length(budget_asset) between 1 and 20),
  add column budget_order numeric check (budget_order > 0),
  add column budget_day numeric check (budget_day > 0),
  add column max_open_proposals integer not null default 5 check (max_open_proposals between 1 and 50),
  add check (num_nulls(budget_asset, budget_order, budget_day) in (0, 3));

create table proposals (
  id uuid primary key,
  token_id uuid not null references api_tokens on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  -- No foreign key: the record outlives the profile.
  profile_id uuid not null,
  symbol text not null,
  kind text not null check (kind in ('manual-order')),
  payload jsonb not null,
  -- SHA-256 of id, profile, symbol, kind and payload as JSON with sorted keys. An approval names it.
  intent_hash bytea not null check (length(intent_hash) = 32),
  quote_asset text not null,
  -- The most that a buy may cost; null for a sale.
  quote numeric check (quote > 0),
  reason text not null check (length(reason) between 1 and 300),
  -- The operator action that judges the order without placing it.
  preview_id uuid not null unique,
  state text not null default 'open' check (state in ('open', 'approved', 'denied', 'cancelled')),
  proposed_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  decided_at timestamptz,
  decided_by uuid references users on delete set null,
  check ((state = 'open') = (decided_at is null)),
  check ((payload ->> 'side' = 'buy') = (quote is not null))
);
create index proposals_by_token on proposals (token_id, proposed_at desc);

-- Each approval makes at most one action, and orders_by_action allows each action one order. No foreign key: a backup holds
-- actions without their proposals, and such an action places no order.
alter table operator_actions add column proposal_id uuid;
create unique index operator_actions_by_proposal on operator_actions (proposal_id) where proposal_id is not null;

-- Refuses with a code of core/decision/decision.ts; the detail holds its numbers.
create function refuse_proposal(code text, numbers jsonb) returns void language plpgsql as $$
begin
  raise exception using errcode = 'TW001', message = code, detail = numbers::text;
end $$;

-- Takes the row of the token until the end of the transaction, and checks the limits that need no sum. A null cost is that of
-- a sale.
create function require_token_budget(token uuid, asset text, cost numeric) returns void language plpgsql as $$
declare
  held api_tokens;
begin
  select * into held from api_tokens where id = token for no key update;
  if held.id is null or held.revoked_at is not null or held.expires_at <= clock_timestamp() then
    perform refuse_proposal('token-ended', '{}');
  end if;
  if cost is null then return; end if;
  if held.budget_asset is distinct from asset then
    perform refuse_proposal('token-no-budget', jsonb_build_object('asset', asset));
  end if;
  if cost > held.budget_order then
    perform refuse_proposal('token-order-budget', jsonb_build_object('wanted', cost::text, 'most', held.budget_order::text));
  end if;
end $$;

-- The row lock lets the proposals of a token in one after the other. Each statement of the function has its own snapshot.
create function require_proposal_allowed() returns trigger language plpgsql as $$
declare
  most integer;
begin
  perform require_token_budget(new.token_id, new.quote_asset, new.quote);
  select max_open_proposals into most from api_tokens where id = new.token_id;
  if (select count(*) from proposals
      where token_id = new.token_id and state = 'open' and expires_at > clock_timestamp()) >= most then
    perform refuse_proposal('token-open-proposals', jsonb_build_object('most', most::text));
  end if;
  return new;
end $$;
create trigger proposal_allowed before insert on proposals for each row execute function require_proposal_allowed();

create trigger proposal_stays before update on proposals for each row
  when ((old.id, old.token_id, old.account_id, old.profile_id, old.symbol, old.kind, old.payload, old.intent_hash,
      old.quote_asset, old.quote, old.reason, old.preview_id, old.proposed_at, old.expires_at)
    is distinct from (new.id, new.token_id, new.account_id, new.profile_id, new.symbol, new.kind, new.payload,
      new.intent_hash, new.quote_asset, new.quote, new.reason, new.preview_id, new.proposed_at, new.expires_at)
    or old.state <> 'open' and (old.state, old.decided_at) is distinct from (new.state, new.decided_at)
    or old.state = 'open' and new.state = 'approved' and old.expires_at <= clock_timestamp())
  execute function refuse_write('A proposal keeps what it asks for, is decided once, and is not approved after its expiry.');

create function require_action_of_proposal() returns trigger language plpgsql as $$
declare
  asked proposals;
begin
  select * into asked from proposals where id = new.proposal_id;
  if asked.state is distinct from 'approved' or (asked.account_id, asked.profile_id, asked.symbol, asked.kind, asked.payload)
      is distinct from (new.account_id, new.profile_id, new.symbol, new.kind, new.payload) then
    raise exception using errcode = 'integrity_constraint_violation', constraint = tg_name, table = tg_table_name,
      message = 'An action of a proposal is what the operator approved.';
  end if;
  return new;
end $$;
create trigger action_of_proposal
  before insert or update of proposal_id, account_id, profile_id, symbol, kind, payload on operator_actions
  for each row when (new.proposal_id is not null) execute function require_action_of_proposal();
create trigger action_keeps_proposal before update of proposal_id on operator_actions for each row
  when (old.proposal_id is distinct from new.proposal_id)
  execute function refuse_write('An action keeps its proposal.');

-- Approval and action are one transaction.
create function require_action_of_approval() returns trigger language plpgsql as $$
begin
  if exists (select from operator_actions where proposal_id = new.id) then return null; end if;
  raise exception using errcode = 'integrity_constraint_violation', constraint = tg_name, table = tg_table_name,
    message = 'An approved proposal has an action.';
end $$;
create constraint trigger approval_has_action after update of state on proposals deferrable initially deferred
  for each row when (new.state = 'approved') execute function require_action_of_approval();

-- Runs in the commit of an intent. The row lock of the token orders the intents of a token on all workers, and lets none
-- commit after the token was revoked. A day is 24 hours: live orders count with all they may cost, finished ones with
-- what they have spent.
create function require_proposed_order() returns trigger language plpgsql as $$
declare
  asked proposals;
  most numeric;
  used numeric;
begin
  if not exists (select from operator_actions where id = new.action_id and proposal_id is not null) then
    return new;
  end if;
  select proposals.* into asked from operator_actions join proposals on proposals.id = proposal_id
    where operator_actions.id = new.action_id;
  if asked.state is distinct from 'approved' or (asked.account_id, asked.profile_id, asked.symbol, asked.payload ->> 'side')
      is distinct from (new.account_id, new.profile_id, new.symbol, new.side)
    or new.quantity * coalesce(new.price, 0) > asked.quote then
    perform refuse_proposal('proposal-differs', '{}');
  end if;
  perform require_token_budget(asked.token_id, asked.quote_asset, asked.quote);
  if asked.quote is null then return new; end if;
  select budget_day into most from api_tokens where id = asked.token_id;
  select coalesce(sum(case when made.state in ('filled', 'cancelled', 'expired', 'rejected', 'never-arrived')
      then made.filled_quote else greatest(earlier.quote, made.filled_quote) end), 0) into used
    from proposals earlier join operator_actions action on action.proposal_id = earlier.id
      join orders made on made.action_id = action.id
    where earlier.token_id = asked.token_id and earlier.quote is not null and earlier.id <> asked.id
      and (made.state not in ('filled', 'cancelled', 'expired', 'rejected', 'never-arrived')
        or greatest(earlier.decided_at, made.updated_at) > clock_timestamp() - interval '24 hours');
  if used + asked.quote > most then
    perform refuse_proposal('token-day-budget',
      jsonb_build_object('wanted', asked.quote::text, 'used', used::text, 'most', most::text));
  end if;
  return new;
end $$;
create trigger order_of_proposal before insert on orders for each row when (new.action_id is not null)
  execute function require_proposed_order();
