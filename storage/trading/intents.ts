// Step 4 of an order (engine/tick/execute.ts), and the place where kill switches bind (storage/trading/halts.ts).
import type pg from 'pg';
import { formatDecimal, ZERO } from '#core/amount/decimal.ts';
import {
  type Halt,
  haltLockText,
  type HaltScope,
  isRefusedByEveryHalt,
  isRefusedByNoHalt,
} from '#core/account/halts.ts';
import type { OrderId } from '#core/ids.ts';
import { clientOrderIdOf, listIdOf, type OrderRecord, stopIdOf, targetIdOf } from '#core/order/order.ts';
import type { IntentRequest, IntentResult } from '#core/ports/store.ts';
import type { Database } from '#storage/postgres/database.ts';
import { jsonText } from '#storage/postgres/json.ts';
import { proposalRefusalIn } from './proposal-refusal.ts';
import { type BoundStatement, type Statement, transactAtOnce } from '#storage/postgres/statements.ts';

/** Widest scope first: every caller takes the three locks in this order. Engaging a halt takes its own lock exclusively. */
const LOCK_HALTS: Statement = {
  name: 'intent-lock',
  text: `select pg_advisory_xact_lock_shared(hashtextextended($1, 0)),
    pg_advisory_xact_lock_shared(hashtextextended($2, 0)),
    pg_advisory_xact_lock_shared(hashtextextended($3, 0))`,
};

/** The order's number in base 36, as clientOrderIdOf writes it. */
const NUMBER = `ltrim(${[6, 5, 4, 3, 2, 1, 0]
  .map(
    (place) => `substr('0123456789abcdefghijklmnopqrstuvwxyz', 1 + (order_sequence / ${36 ** place} % 36)::integer, 1)`,
  )
  .join(' || ')}, '0')`;

const insertOrderFrom = (
  rows: string,
): string => `insert into orders (id, account_id, epoch, profile_id, symbol, side, purpose,
      type, quantity, price, stop_price, trailing_delta, client_order_id, state, reason, decision, fencing, halt_order,
      send_before, created_at, updated_at, action_id, list_id)
    select $8::uuid, $1::uuid, epoch, $2::uuid, $3, $9, $10, $11, $12::numeric, $13::numeric, $14::numeric, $15::integer,
      $16::text || ${NUMBER},
      'intent', $17, $18::jsonb, $4::bigint, nextval('halt_order'), $19::timestamptz, $20::timestamptz, $20::timestamptz,
      $21::uuid, $23::text || ${NUMBER}
    from ${rows}
    returning client_order_id`;

/**
 * A separate statement after LOCK_HALTS: its snapshot is younger than the locks, so it shows every halt and lease that was
 * committed under them. When nothing refuses, it moves the runner state by compare-and-set and writes the order. The
 * client order id ends in the order's number in base 36. Returns no row when it wrote nothing, and does not say why.
 * The coin must be bound, and for an entry the profile enabled and the coin not paused: an older
 * decision cannot commit. Each condition is a subquery: PostgreSQL starts subqueries in less time than a join.
 * $1 account, $2 profile, $3 symbol, $4 fencing, $5 refused by every halt, $6 expected version, $7 strategy state, $8 id,
 * $9 side, $10 purpose, $11 type, $12 quantity, $13 price, $14 stop price, $15 trailing delta, $16 prefix of the client
 * order id, $17 reason, $18 decision, $19 send before, $20 at, $21 operator's action,
 * $22 refused by no halt, $23 prefix of the client id of its order list.
 */
const COMMIT_INTENT: Statement = {
  name: 'intent-commit',
  text: `with moved as (
    update runner_states
    set version = version + 1, order_sequence = order_sequence + 1, strategy_state = $7::jsonb
    where profile_id = $2::uuid and symbol = $3 and version = $6::bigint
      and exists (select from account_leases
        where account_id = $1::uuid and fencing = $4::bigint and expires_at > clock_timestamp())
      and exists (select from accounts where id = $1::uuid and (not $5::boolean or reset_at is null))
      and exists (select from profiles where id = $2::uuid and (not $5::boolean or enabled))
      and exists (select from profile_symbols where profile_id = $2::uuid and symbol = $3
        and (not $5::boolean or paused_until is null or paused_until <= clock_timestamp()))
      and not exists (select from kill_switches
        where subject in ('all', $1::uuid::text, $2::uuid::text) and ($5::boolean or (freeze_exits and not $22::boolean)))
    returning order_sequence, (select epoch from accounts where id = $1::uuid) as epoch
  ) ${insertOrderFrom('moved')}`,
};

/**
 * The second leg of an order list, in the transaction of the first. Writes nothing when the first leg was not written.
 * $1 id, $2 id of the first leg, $3 price, $4 reason, $5 decision.
 */
const COMMIT_TARGET: Statement = {
  name: 'intent-commit-target',
  text: `insert into orders (id, account_id, epoch, profile_id, symbol, side, purpose, type, quantity, price,
      client_order_id, list_id, state, reason, decision, fencing, halt_order, send_before, created_at, updated_at)
    select $1::uuid, account_id, epoch, profile_id, symbol, side, 'target', 'limit', quantity, $3::numeric,
      regexp_replace(client_order_id, '-s([0-9a-z]+)$', '-t\\1'), list_id, state, $4, $5::jsonb, fencing,
      nextval('halt_order'), send_before, created_at, updated_at
    from orders where id = $2::uuid and list_id is not null
    returning client_order_id`,
};

/** Creates the runner state of a bound coin that has none yet. Its order numbers start at the default of the table. */
const ENSURE_RUNNER: Statement = {
  name: 'intent-ensure',
  text: `insert into runner_states (profile_id, symbol)
    select profile_id, symbol from profile_symbols where profile_id = $1::uuid and symbol = $2
    on conflict (profile_id, symbol) do nothing`,
};

/**
 * Runs when COMMIT_INTENT returned no row. Returns what refuses the intent. It writes the order when the only obstacle was
 * that the coin had no runner state before ENSURE_RUNNER. Same parameters as COMMIT_INTENT.
 */
const EXPLAIN_REFUSAL: Statement = {
  name: 'intent-explain-refusal',
  text: `with lease as materialized (
    select accounts.epoch, accounts.id, reset_at from account_leases join accounts on accounts.id = account_id
    where account_id = $1::uuid and fencing = $4::bigint and expires_at > clock_timestamp()
  ), halt as materialized (
    select * from (
      select scope, subject, reason, freeze_exits, cancel_entries, engaged_at, false as is_reset from kill_switches
      where subject in ('all', $1::uuid::text, $2::uuid::text)
      union all
      select 'account', id::text, 'The exchange was reset: confirm that the account may go on.', false, false, reset_at, true
      from lease where reset_at is not null
    ) as engaged
    where $5::boolean or (freeze_exits and not $22::boolean)
    order by case scope when 'all' then 0 when 'account' then 1 else 2 end
    limit 1
  ), moved as (
    update runner_states as runner
    set version = runner.version + 1, order_sequence = runner.order_sequence + 1, strategy_state = $7::jsonb
    from lease, profiles join profile_symbols on profile_symbols.profile_id = profiles.id
    where runner.profile_id = $2::uuid and runner.symbol = $3 and runner.version = $6::bigint
      and not exists (select 1 from halt)
      and profiles.id = $2::uuid and profile_symbols.symbol = $3
      and (not $5::boolean or (enabled and (paused_until is null or paused_until <= clock_timestamp())))
    returning order_sequence
  ), placed as (
    ${insertOrderFrom('moved cross join lease')}
  )
  select halt.*, lease.epoch, placed.client_order_id
  from (select 1) as one left join lease on true left join halt on true left join placed on true`,
};

/**
 * After the row of the order: takes its signal, or refuses the whole transaction (storage/migrations/0057-signals.sql).
 * Returns no row when the order was not written. $1 signal, $2 id of the order.
 */
const TAKE_SIGNAL: Statement = {
  name: 'intent-take-signal',
  text: `select take_signal($1::uuid, id) as client_order_id from orders where id = $2::uuid`,
};

interface Placed extends pg.QueryResultRow {
  readonly client_order_id: string;
}

interface RefusalRow extends pg.QueryResultRow {
  readonly scope: HaltScope | null;
  readonly subject: string;
  readonly reason: string;
  readonly freeze_exits: boolean;
  readonly cancel_entries: boolean;
  readonly engaged_at: Date;
  readonly is_reset: boolean;
  readonly epoch: number | null;
  readonly client_order_id: string | null;
}

const haltOf = (row: RefusalRow, scope: HaltScope): Halt => ({
  scope,
  subject: row.subject,
  since: row.engaged_at,
  reason: row.reason,
  freeze: row.freeze_exits,
  cancelEntries: row.cancel_entries,
  ...(row.is_reset ? { reset: true } : {}),
});

const lockKeys = ({ order }: IntentRequest): string[] => [
  haltLockText('all', 'all'),
  haltLockText('account', order.accountId),
  haltLockText('profile', order.profileId),
];

function commitValues({ order, ...request }: IntentRequest): BoundStatement['values'] {
  const { accountId, profileId, symbol, side, purpose, form, quantity } = order;
  const prefix = clientOrderIdOf({ profileId, symbol, purpose, sequence: 0 }).slice(0, -1);
  return [
    ...[accountId, profileId, symbol, request.fencing, isRefusedByEveryHalt(order), request.expectedVersion],
    ...[jsonText(request.strategyState), request.orderId, side, purpose, form.type, formatDecimal(quantity)],
    'price' in form ? formatDecimal(form.price) : null,
    'stopPrice' in form ? formatDecimal(form.stopPrice) : null,
    form.type === 'trailing-stop' ? form.deltaBips : null,
    prefix,
    ...[request.reason, jsonText(request.decision), new Date(request.sendBeforeMs), request.at],
    request.actionId ?? null,
    isRefusedByNoHalt(order, request.stopRests),
    request.target === undefined ? null : listIdOf(`${prefix}0`).slice(0, -1),
  ];
}

function targetValues({ order, orderId, decision, target }: IntentRequest): BoundStatement['values'] {
  const form = target?.order.form;
  if (target === undefined || form?.type !== 'limit' || target.order.quantity !== order.quantity)
    throw new RangeError('The target of an order list is a limit order of the quantity of its stop.');
  return [target.orderId, orderId, formatDecimal(form.price), target.reason, jsonText(decision)];
}

interface Leg {
  readonly order: IntentRequest['order'];
  readonly orderId: OrderId;
  readonly reason: string;
}

function recordOf(request: IntentRequest, { order, orderId, reason }: Leg, clientOrderId: string): OrderRecord {
  const { accountId, profileId, symbol, side, purpose, form, quantity } = order;
  return {
    ...{ accountId, profileId, symbol, side, purpose, form, quantity },
    id: orderId,
    clientOrderId,
    listId: request.target === undefined ? null : listIdOf(clientOrderId),
    exchangeOrderId: null,
    state: 'intent',
    reason,
    decision: request.decision,
    filledQuantity: ZERO,
    filledQuote: ZERO,
    fencing: request.fencing,
    sendBeforeMs: request.sendBeforeMs,
    createdAt: request.at,
    updatedAt: request.at,
    payload: null,
  };
}

const committed = (request: IntentRequest, clientOrderId: string): IntentResult => ({
  kind: 'committed',
  record: recordOf(request, request, clientOrderId),
  ...(request.target && { target: recordOf(request, request.target, targetIdOf(clientOrderId)) }),
  version: request.expectedVersion + 1,
});

function resultOf(request: IntentRequest, row: RefusalRow | undefined): IntentResult {
  if (row === undefined || row.epoch === null) return { kind: 'lost-lease' };
  if (row.scope !== null) return { kind: 'halted', halt: haltOf(row, row.scope) };
  return row.client_order_id === null ? { kind: 'moved' } : committed(request, row.client_order_id);
}

/**
 * The one durable step between a decision and its order. In one transaction it locks, checks halts and lease, moves the
 * runner state and writes the order row. Throws CommitUnknown when the answer to COMMIT was lost. The order row may exist
 * then, but this caller has not sent the order. The trigger order_of_proposal refuses an order beyond the budget of a token,
 * take_signal a second order of a signal, and a late one.
 */
export async function commitIntent(db: Database, request: IntentRequest): Promise<IntentResult> {
  try {
    return await commitOrExplain(db, request);
  } catch (error) {
    const refusal = proposalRefusalIn(error);
    if (refusal === undefined) throw error;
    return { kind: 'refused', ...refusal };
  }
}

/** The statement after the row of the order: the other leg of a list, or the signal behind it. */
function secondOf(request: IntentRequest): BoundStatement[] {
  const { orderId, signalId, target } = request;
  if (target !== undefined) return [{ ...COMMIT_TARGET, values: targetValues(request) }];
  return signalId === undefined ? [] : [{ ...TAKE_SIGNAL, values: [signalId, orderId] }];
}

async function commitOrExplain(db: Database, request: IntentRequest): Promise<IntentResult> {
  const lock = { ...LOCK_HALTS, values: lockKeys(request) };
  const second = secondOf(request);
  const given = commitValues(request);
  const [placed] = await transactAtOnce<Placed>(db, [lock, { ...COMMIT_INTENT, values: given }, ...second]);
  if (placed !== undefined) return committed(request, stopIdOf(placed.client_order_id));
  // Without its second statement the order must not be written: no runner state has this version.
  const values = second.length > 0 ? commitValues({ ...request, expectedVersion: -1 }) : given;
  const coin = [request.order.profileId, request.order.symbol];
  const [row] = await transactAtOnce<RefusalRow>(db, [
    lock,
    { ...ENSURE_RUNNER, values: coin },
    { ...EXPLAIN_REFUSAL, values },
  ]);
  return resultOf(request, row);
}
