-- What the operator has asked for and the job has not applied yet; a price of zero asks for the row to be removed.
alter table runner_states add column asked_price numeric check (asked_price >= 0);
alter table runner_states add column asked_quantity numeric check (asked_quantity >= 0);
alter table runner_states add check ((asked_price is null) = (asked_quantity is null));
-- Text beside the recorded price while nothing sellable backs it.
alter table runner_states add column cost_basis_note text;

-- The cost-basis ledger: one row a coin; quantity zero is a price marker.
create view cost_basis as
select profile_id, symbol, coalesce(asked_price, average_price) as average_price,
  coalesce(asked_quantity, quantity) as quantity, cost_basis_note as note
from runner_states
where coalesce(asked_price, average_price) > 0;

-- Changes of a position that are no fills; folded with the fills in the order of runner_version.
create table position_adjustments (
  profile_id uuid not null,
  symbol text not null,
  runner_version bigint not null,
  reason text not null,
  average_price numeric not null,
  quantity numeric not null,
  held boolean not null,
  at timestamptz not null,
  recorded_at timestamptz not null default now(),
  primary key (profile_id, symbol, runner_version)
);
