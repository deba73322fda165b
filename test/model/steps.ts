import { z } from 'zod';
import { requireDecimal } from '#core/amount/decimal.ts';
import { stopIdOf, targetIdOf } from '#core/order/order.ts';
import { drillTiming } from '#test/faults/fault-table.ts';
import type { RecordedRun } from '#test/faults/pool.ts';
import type { LoggedStep } from '#test/faults/protocol-log.ts';
import type { SeenStep } from '#test/faults/recorder.ts';
import { orderByBackup, restored } from './backup-place.ts';

/** A step as replay.qnt reads it. The first number is the time in ms; `says` describes it when it is refused. */
export interface ModelStep {
  readonly name: string;
  readonly numbers: readonly bigint[];
  readonly says: string;
}

const nullable = z.string().nullable();
const order = z.object({
  id: z.string(),
  client_order_id: z.string(),
  symbol: z.string(),
  side: z.string(),
  purpose: z.string(),
  quantity: z.string(),
  state: z.string(),
  exchange_order_id: nullable,
  filled_quantity: z.string(),
  fencing: z.string(),
  send_before: z.string(),
  list_id: nullable,
});
type OrderRow = z.output<typeof order>;
const fill = z.object({
  order_id: z.string(),
  symbol: z.string(),
  trade_id: z.string(),
  exchange_order_id: z.string(),
  quantity: z.string(),
});
const runner = z.object({ symbol: z.string(), quantity: z.string(), compared: z.string() });
const halt = z.object({ scope: z.enum(['all', 'account', 'profile']), freeze_exits: z.string() });
const lease = z.object({ fencing: z.string() });

/** Scopes of kill switches as the model numbers them; the schedules have one profile. */
const SCOPES = { all: -3, account: -2, profile: 0 } as const;
/** Purposes and states by the numbers that replay.qnt gives them. */
const PURPOSES = ['entry', 'exit', 'stop', 'target', 'manual-buy', 'manual-sale'];
const STATES = [
  ...['intent', 'open', 'partially-filled', 'filled', 'cancelled', 'expired', 'rejected', 'unknown', 'never-arrived'],
];
const NONE = -1;

type Numbers = readonly (bigint | number)[];
type Emit = (name: string, ...numbers: Numbers) => void;

/** Numbers for texts, in the order of their first use. */
function createNames(first: number): (text: string) => number {
  const numbers = new Map<string, number>();
  return (text) => {
    const number = numbers.get(text) ?? first + numbers.size;
    numbers.set(text, number);
    return number;
  };
}

/** State while the two logs are read in the order of time. */
interface Reading {
  readonly emit: Emit;
  /** Wall time in ms of the run's first step. */
  readonly startMs: number;
  /** Numbers of coins, of orders by client id, and of trades. */
  readonly coin: (symbol: string) => number;
  readonly order: (clientOrderId: string) => number;
  readonly trade: (key: string) => number;
  /** Order rows by id, as last logged. */
  readonly rows: Map<string, OrderRow>;
  /** The runs that committed orders, by client id; a restore loses the rows of some. */
  readonly committedBy: Map<string, number>;
  /** Orders that replace another, by client id; known from their requests. */
  readonly replaces: ReadonlyMap<string, string>;
  /** Signed requests that may still take effect. */
  readonly placing: Set<string>;
  /** Ids of the exchange's orders. */
  readonly accepted: Set<string>;
  /** Ids of the exchange's orders that were cancelled with the other leg of their list. */
  readonly cancelled: Set<string>;
  readonly cancelling: { readonly order: string | null; readonly target: string }[];
  readonly compared: Map<string, string>;
  runs: number[];
  killed: boolean;
}

const amountOf = (text: string): bigint => requireDecimal(text);
const tradeKey = (symbol: string, tradeId: string, exchangeOrderId: string): string =>
  `${symbol} ${tradeId} ${exchangeOrderId}`;
const purposeOf = ({ purpose, side }: OrderRow): number =>
  PURPOSES.indexOf(purpose === 'manual' ? `manual-${side === 'buy' ? 'buy' : 'sale'}` : purpose);
const newestRun = ({ runs }: Reading): number => runs.at(-1) ?? 0;

/** Steps of the model for a recorded run, or up to the first step that the model does not have. */
export function stepsOf(run: RecordedRun): ModelStep[] {
  const { seen } = run;
  const { logged, saved } = orderByBackup(run);
  const startMs = Math.floor(Math.min(logged[0]?.atMs ?? Infinity, seen[0]?.atMs ?? Infinity));
  const steps: ModelStep[] = [];
  let [nowMs, says] = [startMs, ''];
  const emit: Emit = (name, ...numbers) => {
    const all = [Math.floor(nowMs - startMs), ...numbers].map(BigInt);
    steps.push({ name, numbers: all, says: `${name} ${all.join(' ')}: ${says}` });
  };
  const reading = createReading(run, { emit, startMs });
  const { receiveWindowMs, engineTimeoutMs, clockMarginMs, separateMs } = drillTiming(run.pace);
  emit('start', receiveWindowMs + engineTimeoutMs, separateMs, clockMarginMs);
  let next = 0;
  let cut = false;
  const readLogged = (): void => {
    const entry = logged[next];
    if (entry === undefined) return;
    if (next === saved) emit('backUp');
    next += 1;
    [nowMs, says] = [Math.max(nowMs, entry.atMs), `${entry.kind} ${JSON.stringify(entry.detail)}`];
    cut ||= entry.kind.startsWith('position_adjustments');
    if (!cut) onLogged(reading, entry);
  };
  const committed = commitPlaces(logged);
  for (const step of seen) {
    const places = step.kind === 'sent' && !step.placesNone;
    // The recorder sees whole milliseconds, and what a request follows from is logged before it.
    const untilMs = places ? step.atMs + 1 : step.atMs;
    while (next < logged.length && (logged[next]?.atMs ?? 0) <= untilMs) readLogged();
    const commit = places ? committed.get(step.clientOrderId) : undefined;
    while (commit !== undefined && next <= commit) readLogged();
    [nowMs, says] = [Math.max(nowMs, step.atMs), JSON.stringify(step)];
    if (!cut) onSeen(reading, step, seen);
  }
  while (next < logged.length) readLogged();
  says = 'the end';
  emit('finished');
  return steps;
}

/** Places of the commits in the log, by client order id. An order that a restore lost may be inserted again. */
const commitPlaces = (logged: readonly LoggedStep[]): ReadonlyMap<string, number> =>
  new Map(
    logged.flatMap(({ kind, detail }, index) => {
      if (kind !== 'orders insert') return [];
      const { client_order_id: id, state } = order.parse(detail);
      return state === 'intent' ? [[id, index]] : [];
    }),
  );

function createReading({ seen }: RecordedRun, { emit, startMs }: Pick<Reading, 'emit' | 'startMs'>): Reading {
  const replaces = new Map(
    seen.flatMap((step) =>
      step.kind === 'sent' && !step.placesNone && step.cancels !== null ? [[step.clientOrderId, step.cancels]] : [],
    ),
  );
  const names = { coin: createNames(0), order: createNames(1), trade: createNames(1) };
  const empty = {
    rows: new Map(),
    committedBy: new Map(),
    placing: new Set<string>(),
    accepted: new Set<string>(),
    cancelled: new Set<string>(),
    cancelling: [],
    compared: new Map(),
    runs: [],
  };
  return { emit, startMs, ...names, replaces, ...empty, killed: false };
}

function onLogged(reading: Reading, { kind, detail }: LoggedStep): void {
  const { emit } = reading;
  if (kind.startsWith('orders')) return onOrder(reading, order.parse(detail));
  if (kind === 'fills insert') {
    const { symbol, trade_id: id, exchange_order_id: exchangeId, quantity } = fill.parse(detail);
    return emit('book', reading.trade(tradeKey(symbol, id, exchangeId)), amountOf(quantity));
  }
  if (kind.startsWith('runner_states')) return onRunner(reading, runner.parse(detail));
  if (kind.startsWith('kill_switches')) {
    const { scope, freeze_exits: freeze } = halt.parse(detail);
    if (kind === 'kill_switches delete') return emit('release', SCOPES[scope]);
    return emit('engage', SCOPES[scope], freeze === 'true' ? 1 : 0);
  }
  if (kind === 'account_leases delete') return emit('expire');
  if (kind.startsWith('account_leases')) return onLease(reading, Number(lease.parse(detail).fencing));
  if (kind === 'restored') onRestored(reading, detail);
}

function onLease(reading: Reading, fencing: number): void {
  if (reading.killed) {
    for (const run of reading.runs) reading.emit('crash', run);
    reading.runs = [];
    reading.killed = false;
  }
  reading.runs.push(fencing);
  reading.emit('takeLease', fencing);
}

function onRestored(reading: Reading, detail: unknown): void {
  const { rows, compared, emit } = reading;
  const back = new Map(restored.parse(detail).orders.map((row) => [row.id, row]));
  for (const [id, row] of rows) {
    const saved = back.get(id);
    if (saved === undefined) rows.delete(id);
    // An order that the exchange has acknowledged is not an intent or unknown.
    else
      rows.set(id, {
        ...row,
        ...saved,
        exchange_order_id: ['intent', 'unknown'].includes(saved.state) ? null : row.exchange_order_id,
      });
  }
  for (const symbol of compared.keys()) compared.set(symbol, 'false');
  emit('restore');
}

function onRunner(
  { emit, coin, compared }: Reading,
  { symbol, quantity, compared: now }: z.output<typeof runner>,
): void {
  emit('position', coin(symbol), amountOf(quantity));
  if (now === 'true' && compared.get(symbol) === 'false') emit('reconcile', coin(symbol));
  compared.set(symbol, now);
}

function onOrder(reading: Reading, row: OrderRow): void {
  const { emit, rows } = reading;
  const before = rows.get(row.id);
  rows.set(row.id, row);
  const number = reading.order(row.client_order_id);
  if (before !== undefined) onMove(reading, before, row);
  else if (row.state === 'intent') {
    if (row.purpose !== 'target') onCommit(reading, row, number);
  } else emit('adopt', number, purposeOf(row), Number(row.fencing));
  emit('row', number, STATES.indexOf(row.state), amountOf(row.filled_quantity));
}

/** One commit for both legs of a list. */
function onCommit(reading: Reading, row: OrderRow, number: number): void {
  const { emit, startMs, replaces } = reading;
  const isList = row.list_id !== null;
  const replaced = isList ? restingStop(reading, row) : replaces.get(row.client_order_id);
  const [run, coin, quantity] = [Number(row.fencing), reading.coin(row.symbol), amountOf(row.quantity)];
  const sendBefore = Math.floor(Date.parse(row.send_before) - startMs);
  reading.committedBy.set(row.client_order_id, run);
  emit(
    'commit',
    ...[run, coin, number, purposeOf(row), quantity],
    ...[
      replaced === undefined ? NONE : reading.order(replaced),
      sendBefore,
      isList ? reading.order(targetIdOf(row.client_order_id)) : NONE,
    ],
  );
}

/** The stop that a list replaces: no request names it. */
const restingStop = ({ rows }: Reading, { symbol }: OrderRow): string | undefined =>
  [...rows.values()].findLast(
    (row) => row.symbol === symbol && row.purpose === 'stop' && ['open', 'partially-filled'].includes(row.state),
  )?.client_order_id;

/** Steps that no log shows, such as the refusal of a request, come right before the step that follows from them. */
function onMove({ emit, placing, order: numberOf, runs }: Reading, before: OrderRow, row: OrderRow): void {
  const { client_order_id: id, state } = row;
  const number = numberOf(id);
  const isNew = before.exchange_order_id === null && row.exchange_order_id !== null;
  if (isNew || (state === 'open' && state !== before.state)) emit('acknowledge', number);
  if (state === before.state) return;
  const ended = placing.has(id) && (state === 'rejected' || (state === 'cancelled' && row.exchange_order_id === null));
  if (ended) {
    placing.delete(id);
    emit(state === 'rejected' ? 'refuse' : 'lose', number);
  }
  if (state === 'rejected') emit('reject', number);
  else if (state === 'unknown') emit('timeOut', Number(row.fencing), number);
  else if (state === 'never-arrived') emit('neverArrived', runs.at(-1) ?? 0, number);
  else if (state === 'cancelled' || state === 'expired')
    if (row.exchange_order_id === null) emit('notSent', number);
    else emit('finish', number, STATES.indexOf(state));
}

function onSeen(reading: Reading, step: SeenStep, seen: readonly SeenStep[]): void {
  const { emit, placing, cancelling, committedBy } = reading;
  switch (step.kind) {
    case 'killed':
      reading.killed = true;
      return;
    case 'backed-up':
      return;
    case 'looked-up':
      // The id of a cancel is looked up too, and alone proves nothing.
      if (step.clientOrderId.endsWith('-c')) return;
      return emit('lookUp', newestRun(reading), reading.order(step.clientOrderId));
    case 'bounced':
      placing.delete(step.clientOrderId);
      return emit('bounce', reading.order(step.clientOrderId));
    case 'sent': {
      if (step.placesNone) {
        if (step.cancels === null) return;
        cancelling.push({ order: null, target: step.cancels });
        return emit('cancel', newestRun(reading), reading.order(step.cancels));
      }
      placing.add(step.clientOrderId);
      if (step.cancels !== null) cancelling.push({ order: step.clientOrderId, target: step.cancels });
      const signed = Math.floor(step.signedMs - reading.startMs);
      return emit('send', committedBy.get(step.clientOrderId) ?? 0, reading.order(step.clientOrderId), signed);
    }
    case 'reported':
      return onReported(reading, step, seen);
  }
}

type Reported = Extract<SeenStep, { kind: 'reported' }>;

function onReported(reading: Reading, step: Reported, seen: readonly SeenStep[]): void {
  const { emit, placing } = reading;
  const number = reading.order(step.clientOrderId);
  if (step.execution === 'NEW') {
    // A stop reports NEW again when its price is reached.
    if (reading.accepted.has(step.exchangeOrderId)) return;
    reading.accepted.add(step.exchangeOrderId);
    placing.delete(step.clientOrderId);
    // The exchange accepts both legs of a list at once: the stop stands for both.
    if (stopIdOf(step.clientOrderId) === step.clientOrderId) emit('accept', number);
  } else if (step.execution === 'CANCELED') onCancelled(reading, step, seen);
  else if (step.execution === 'EXPIRED') emit('end', number, STATES.indexOf('expired'));
  else if (step.fill !== null) {
    const { symbol, tradeId, exchangeOrderId, quantity, commission, commissionAsset } = step.fill;
    const fee = symbol.startsWith(commissionAsset) ? amountOf(commission) : 0n;
    const trade = reading.trade(tradeKey(symbol, tradeId, exchangeOrderId));
    emit('fill', number, trade, amountOf(quantity), fee);
  }
}

/**
 * The order may have been cancelled by a replacement, whose order the exchange then accepts in the same moment. A cancel
 * of a list is reported for each leg, one after the other.
 */
function onCancelled(reading: Reading, step: Reported, seen: readonly SeenStep[]): void {
  const { cancelling, emit, order: numberOf, cancelled } = reading;
  if (cancelled.delete(step.exchangeOrderId)) return;
  const list = stopIdOf(step.clientOrderId);
  const [next, second] = seen.slice(seen.indexOf(step) + 1);
  const other =
    next?.kind === 'reported' && next.execution === 'CANCELED' && stopIdOf(next.clientOrderId) === list
      ? next
      : undefined;
  const after = other === undefined ? next : second;
  const candidates = cancelling.filter(({ target }) => stopIdOf(target) === list);
  const replacing = candidates.find(
    (each) => after?.kind === 'reported' && after.execution === 'NEW' && after.clientOrderId === each.order,
  );
  const found = replacing ?? candidates.find((each) => each.order === null) ?? candidates.at(-1);
  if (found === undefined) return emit('end', numberOf(step.clientOrderId), STATES.indexOf('cancelled'));
  cancelling.splice(cancelling.indexOf(found), 1);
  if (other !== undefined) cancelled.add(other.exchangeOrderId);
  emit('takeEffect', found.order === null ? NONE : numberOf(found.order), numberOf(found.target));
}
