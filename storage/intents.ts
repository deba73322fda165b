import type pg from 'pg';
import { formatDecimal, ZERO } from '#core/decimal.ts';
import { type Halt, type HaltScope, haltLockText, isRefusedByEveryHalt } from '#core/halts.ts';
import { clientOrderIdOf, type OrderRecord } from '#core/order.ts';
import type { IntentRequest, IntentResult } from '#core/ports.ts';
import type { Database } from './database.ts';
import { jsonText } from './json.ts';
import { type BoundStatement, type Statement, transactInTwoSteps } from './statements.ts';

/** Widest first: everyone takes the three keys in this order. Engaging a halt takes its own key exclusively. */
const LOCK: Statement = {
  name: 'intent-lock',
  text: `select pg_advisory_xact_lock_shared(hashtextextended($1, 0)),
    pg_advisory_xact_lock_shared(hashtextextended($2, 0)),
    pg_advisory_xact_lock_shared(hashtextextended($3, 0))`,
};

/**
 * A statement of its own after LOCK, so that its snapshot is younger than the locks and shows every halt and lease that
 * was committed under them. Judges and, when nothing refuses, moves the runner state by compare-and-set.
 * The coin must be bound, and for an entry the profile enabled and the coin not paused: a decision made just before
 * cannot commit.
 * $1 account, $2 profile, $3 symbol, $4 fencing, $5 refused by every halt, $6 expected version, $7 strategy state.
 */
const JUDGE: Statement = {
  name: 'intent-judge',
  text: `with halt as materialized (
    select * from halts
    where (scope = 'all' or (scope = 'account' and subject = $1::uuid::text) or (scope = 'profile' and subject = $2::uuid::text))
      and ($5::boolean or freeze_exits)
    order by case scope when 'all' then 0 when 'account' then 1 else 2 end
    limit 1
  ), lease as materialized (
    select accounts.epoch from account_leases join accounts on accounts.id = account_id
    where account_id = $1::uuid and fencing = $4::bigint and expires_at > clock_timestamp()
  ), moved as (
    insert into runner_states as runner (profile_id, symbol, version, order_sequence, strategy_state)
    select $2::uuid, $3, 1, 1, $7::jsonb from lease
    where not exists (select 1 from halt)
      and exists (select 1 from profiles join profile_symbols on profile_id = id
        where id = $2::uuid and symbol = $3 and (not $5::boolean
          or (enabled and (paused_until is null or paused_until <= clock_timestamp()))))
      and ($6::bigint = 0 or exists (select 1 from runner_states where profile_id = $2::uuid and symbol = $3))
    on conflict (profile_id, symbol) do update
    set version = runner.version + 1, order_sequence = runner.order_sequence + 1, strategy_state = excluded.strategy_state
    where runner.version = $6::bigint
    returning version, order_sequence
  )
  select halt.*, lease.epoch, moved.version, moved.order_sequence,
    case when moved.version is null then null else nextval('halt_order') end as halt_order
  from (select 1) as one left join lease on true left join halt on true left join moved on true`,
};

const INSERT: Statement = {
  name: 'intent-insert',
  text: `insert into orders (id, account_id, epoch, profile_id, symbol, side, purpose, type, quantity, price, stop_price,
    trailing_delta, client_order_id, state, reason, decision, fencing, halt_order, send_before, created_at, updated_at, action_id)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $19, $12, 'intent', $13, $14, $15, $16, $17, $18, $18, $20)`,
};

interface Judgement extends pg.QueryResultRow {
  readonly scope: HaltScope | null;
  readonly subject: string;
  readonly reason: string;
  readonly freeze_exits: boolean;
  readonly cancel_entries: boolean;
  readonly engaged_at: Date;
  readonly is_reset: boolean;
  readonly epoch: number | null;
  readonly version: string | null;
  readonly order_sequence: string;
  readonly halt_order: string;
}

interface Decided {
  readonly write: BoundStatement | null;
  readonly result: IntentResult;
}

const haltOf = (row: Judgement, scope: HaltScope): Halt => ({
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

const judgeValues = ({ order, ...request }: IntentRequest): unknown[] => [
  order.accountId,
  order.profileId,
  order.symbol,
  request.fencing,
  isRefusedByEveryHalt(order),
  request.expectedVersion,
  jsonText(request.strategyState),
];

function recordOf({ order, ...request }: IntentRequest, sequence: number): OrderRecord {
  const { accountId, profileId, symbol, side, purpose, form, quantity } = order;
  return {
    ...{ accountId, profileId, symbol, side, purpose, form, quantity },
    id: request.orderId,
    clientOrderId: clientOrderIdOf({ profileId, symbol, purpose, sequence }),
    exchangeOrderId: null,
    state: 'intent',
    reason: request.reason,
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

const insertValues = (record: OrderRecord, request: IntentRequest, row: Judgement): unknown[] => [
  record.id,
  record.accountId,
  row.epoch,
  record.profileId,
  record.symbol,
  record.side,
  record.purpose,
  record.form.type,
  formatDecimal(record.quantity),
  'price' in record.form ? formatDecimal(record.form.price) : null,
  'stopPrice' in record.form ? formatDecimal(record.form.stopPrice) : null,
  record.clientOrderId,
  record.reason,
  jsonText(request.decision),
  record.fencing,
  row.halt_order,
  new Date(record.sendBeforeMs),
  record.createdAt,
  record.form.type === 'trailing-stop' ? record.form.deltaBips : null,
  request.actionId ?? null,
];

function decide(request: IntentRequest, row: Judgement | undefined): Decided {
  if (row === undefined || row.epoch === null) return { write: null, result: { kind: 'lost-lease' } };
  if (row.scope !== null) return { write: null, result: { kind: 'halted', halt: haltOf(row, row.scope) } };
  if (row.version === null) return { write: null, result: { kind: 'moved' } };
  const record = recordOf(request, Number(row.order_sequence));
  const write = { ...INSERT, values: insertValues(record, request, row) };
  return { write, result: { kind: 'committed', record, version: Number(row.version) } };
}

/**
 * The one durable step between a decision and its order: locks, judges halts and lease, moves the runner state and
 * writes the order row, all or nothing. Throws CommitUnknown when the answer to COMMIT was lost: the order row, when it
 * is there, was never sent by this caller.
 */
export const commitIntent = (db: Database, request: IntentRequest): Promise<IntentResult> =>
  transactInTwoSteps<Judgement, IntentResult>(db, {
    opening: [
      { ...LOCK, values: lockKeys(request) },
      { ...JUDGE, values: judgeValues(request) },
    ],
    decide: ([row]) => decide(request, row),
  });
