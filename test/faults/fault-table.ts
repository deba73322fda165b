import type { OrderTiming } from '#core/order/order-timing.ts';
import type { Dice } from '#test/flow/random.ts';

/**
 * Shortens all limits of an order, so that proving its absence takes a second instead of 18; the rule does not change.
 * On a busy machine all limits are `pace` times as long: a process that waits for its turn is no fault of the exchange.
 */
export const drillTiming = (pace: number): OrderTiming => ({
  sendWithinMs: 400 * pace,
  exitWithinMs: 400 * pace,
  receiveWindowMs: 400 * pace,
  engineTimeoutMs: 400 * pace,
  clockMarginMs: 100 * pace,
  separateMs: 100 * pace,
  lookEveryMs: 150 * pace,
  patienceMs: 250 * pace,
});
export const DRILL_TIMING: OrderTiming = drillTiming(1);

export interface RequestMatch {
  readonly method: string;
  readonly path?: string;
  readonly text?: string;
}

/** One fault of the paper exchange (paper/faults/faults.ts), used up by the next requests that match. */
export interface RequestFault {
  readonly match: RequestMatch;
  readonly kind: 'fail-before' | 'apply-then-fail' | 'delay' | 'late' | 'reset';
  readonly applied?: boolean;
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly delayMs?: number;
  readonly times?: number;
}

type FaultMaker = (dice: Dice) => Omit<RequestFault, 'match'>;

const OVERLOADED = 'Server is currently overloaded with other requests.';
const HTML = '<html><body>502 Bad Gateway</body></html>';
const { receiveWindowMs, engineTimeoutMs, patienceMs } = DRILL_TIMING;
const refusal = (status: number, code: number, msg: string): Omit<RequestFault, 'match'> => ({
  kind: 'fail-before',
  status,
  headers: status === 429 || status === 418 ? { 'Retry-After': '1' } : {},
  body: { code, msg },
});

/** Faults of a request that creates, replaces or cancels an order. */
export const ORDER_FAULTS: Readonly<Record<string, FaultMaker>> = {
  'request lost': () => ({ kind: 'reset' }),
  'reply lost': () => ({ kind: 'reset', applied: true }),
  'applied, then -1007': () => ({ kind: 'apply-then-fail', status: 504 }),
  'applied, then 500': () => ({ kind: 'apply-then-fail', status: 500, body: {} }),
  'applied, then HTML': () => ({ kind: 'apply-then-fail', status: 502, body: HTML }),
  'applied, then garbage': () => ({ kind: 'apply-then-fail', status: 200, body: '{"orderId":' }),
  'applied, then an empty success': () => ({ kind: 'apply-then-fail', status: 200, body: {} }),
  'not applied, but -1007': () => ({ kind: 'fail-before', status: 504 }),
  'not applied, but an empty success': () => ({ kind: 'fail-before', status: 200, body: {} }),
  'applied after the answer -1007': (dice) => ({
    ...{ kind: 'late', status: 504 },
    delayMs: dice.between(20, engineTimeoutMs),
  }),
  'applied after the answer was HTML': (dice) => ({
    ...{ kind: 'late', status: 502, body: HTML },
    delayMs: dice.between(20, engineTimeoutMs),
  }),
  'slower than the patience': (dice) => ({ kind: 'delay', delayMs: dice.between(patienceMs, receiveWindowMs) }),
  'slower than the receive window': (dice) => ({
    ...{ kind: 'delay' },
    delayMs: dice.between(receiveWindowMs, 2 * receiveWindowMs),
  }),
  slow: (dice) => ({ kind: 'delay', delayMs: dice.between(20, patienceMs) }),
  'events before the answer': (dice) => ({ kind: 'delay', applied: true, delayMs: dice.between(20, patienceMs / 2) }),
  'events, and no answer in time': (dice) => ({
    ...{ kind: 'delay', applied: true },
    delayMs: dice.between(patienceMs, 2 * patienceMs),
  }),
  overloaded: () => refusal(503, -1008, OVERLOADED),
  'too many requests': () => refusal(429, -1003, 'Too many requests.'),
  banned: () => refusal(418, -1003, 'Way too much request weight used; IP banned.'),
};

const READS = [
  '/api/v3/order',
  '/api/v3/account',
  '/api/v3/myTrades',
  '/api/v3/openOrders',
  '/api/v3/allOrders',
  ...['/api/v3/klines', '/api/v3/exchangeInfo', '/api/v3/ticker/price', '/api/v3/time'],
];
const readFrom = (paths: readonly string[], dice: Dice): RequestMatch => ({
  method: 'GET',
  path: paths[Math.floor(dice.next() * paths.length)] ?? '',
});
const readOf = (dice: Dice): RequestMatch => readFrom(READS, dice);
const timesOf = (dice: Dice): number => 1 + Math.floor(dice.next() * 3);

/** Faults of reads. */
export const READ_FAULTS: Readonly<Record<string, (dice: Dice) => RequestFault>> = {
  'read failed': (dice) => ({ match: readOf(dice), kind: 'fail-before', status: 500, body: {}, times: timesOf(dice) }),
  'read lost': (dice) => ({ match: readOf(dice), kind: 'reset', times: timesOf(dice) }),
  'read garbled': (dice) => ({
    ...{ match: readOf(dice), kind: 'apply-then-fail', status: 200, body: '<' },
    times: timesOf(dice),
  }),
  'read slow': (dice) => ({ match: readOf(dice), kind: 'delay', delayMs: dice.between(50, 2 * patienceMs) }),
  'order said to be absent': () => ({
    ...{ match: { method: 'GET', path: '/api/v3/order' }, times: 2 },
    ...refusal(400, -2013, 'Order does not exist.'),
  }),
};

/** First reads of a starting worker; one of them fails a few times. */
const FIRST_READS = ['/api/v3/klines', '/api/v3/exchangeInfo', '/api/v3/ticker/price', '/api/v3/time'];
export const firstReadFault = (dice: Dice): RequestFault => ({
  match: readFrom(FIRST_READS, dice),
  ...dice.pick([refusal(503, -1008, OVERLOADED), { kind: 'fail-before', status: 500, body: {} }, { kind: 'reset' }]),
  times: timesOf(dice),
});

/** Makes the candles of a coin unreadable until the fault is removed. */
export const unreadCandles = (symbol: string): RequestFault => ({
  ...{ match: { method: 'GET', path: '/api/v3/klines', text: `symbol=${symbol}` }, times: 1_000_000 },
  ...refusal(400, -1121, 'Invalid symbol.'),
});
