import type { HaltScope } from '#core/halts.ts';
import type { OrderTiming } from '#core/order-timing.ts';
import { type Dice, openDice } from '../flow/random.ts';

/** Everything an order's way takes, shortened so that a proof of absence takes a second instead of 18; the rule is the same. */
export const DRILL_TIMING: OrderTiming = {
  sendWithinMs: 400,
  receiveWindowMs: 400,
  engineTimeoutMs: 600,
  clockMarginMs: 100,
  separateMs: 100,
  lookEveryMs: 150,
  patienceMs: 250,
};

/** One fault of the paper exchange (paper/faults.ts), used up by the next requests that match. */
export interface RequestFault {
  readonly match: { readonly method: string; readonly path: string };
  readonly kind: 'fail-before' | 'apply-then-fail' | 'delay' | 'late' | 'reset';
  readonly applied?: boolean;
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly delayMs?: number;
  readonly times?: number;
}

/** What happens to a run. `told`: whether the worker hears of a kill switch at once or finds it by itself. */
export type Step =
  | { readonly kind: 'fault'; readonly name: string; readonly fault: RequestFault }
  | { readonly kind: 'drop-streams' }
  | { readonly kind: 'drop-connections' }
  | { readonly kind: 'kill-worker'; readonly downMs: number }
  | {
      readonly kind: 'engage';
      readonly scope: HaltScope;
      readonly freeze: boolean;
      readonly told: boolean;
      readonly forMs: number;
    };

export interface Schedule {
  readonly seed: number;
  readonly coins: readonly { readonly symbol: string; readonly period: number; readonly phase: number }[];
  /** What one entry spends: one level of the exchange's book holds about 8,000 USDT, so that more is filled in parts. */
  readonly amount: string;
  readonly lengthMs: number;
  /** In the order of time. */
  readonly steps: readonly { readonly atMs: number; readonly step: Step }[];
}

const ORDER = { method: 'POST', path: '/api/v3/order' } as const;
const HTML = '<html><body>502 Bad Gateway</body></html>';
const { receiveWindowMs, engineTimeoutMs, patienceMs } = DRILL_TIMING;

type FaultMaker = (dice: Dice) => RequestFault;
/** What can become of a sent order. */
const ORDER_FAULTS: Readonly<Record<string, FaultMaker>> = {
  'request lost': () => ({ match: ORDER, kind: 'reset' }),
  'reply lost': () => ({ match: ORDER, kind: 'reset', applied: true }),
  'applied, then -1007': () => ({ match: ORDER, kind: 'apply-then-fail', status: 504 }),
  'applied, then 500': () => ({ match: ORDER, kind: 'apply-then-fail', status: 500, body: {} }),
  'applied, then HTML': () => ({ match: ORDER, kind: 'apply-then-fail', status: 502, body: HTML }),
  'applied, then garbage': () => ({ match: ORDER, kind: 'apply-then-fail', status: 200, body: '{"orderId":' }),
  'applied, then an empty success': () => ({ match: ORDER, kind: 'apply-then-fail', status: 200, body: {} }),
  'not applied, but -1007': () => ({ match: ORDER, kind: 'fail-before', status: 504 }),
  'not applied, but an empty success': () => ({ match: ORDER, kind: 'fail-before', status: 200, body: {} }),
  'applied after the answer -1007': (dice) => ({
    ...{ match: ORDER, kind: 'late', status: 504 },
    delayMs: dice.between(20, engineTimeoutMs),
  }),
  'applied after the answer was HTML': (dice) => ({
    ...{ match: ORDER, kind: 'late', status: 502, body: HTML },
    delayMs: dice.between(20, engineTimeoutMs),
  }),
  'slower than the patience': (dice) => ({
    ...{ match: ORDER, kind: 'delay' },
    delayMs: dice.between(patienceMs, receiveWindowMs),
  }),
  'slower than the receive window': (dice) => ({
    ...{ match: ORDER, kind: 'delay' },
    delayMs: dice.between(receiveWindowMs, 2 * receiveWindowMs),
  }),
  slow: (dice) => ({ match: ORDER, kind: 'delay', delayMs: dice.between(20, patienceMs) }),
  overloaded: () => ({
    ...{ match: ORDER, kind: 'fail-before', status: 503 },
    body: { code: -1008, msg: 'Server is currently overloaded with other requests.' },
  }),
  'too many requests': () => ({
    ...{ match: ORDER, kind: 'fail-before', status: 429, headers: { 'Retry-After': '1' } },
    body: { code: -1003, msg: 'Too many requests.' },
  }),
};

const READS = [
  '/api/v3/order',
  '/api/v3/account',
  '/api/v3/myTrades',
  '/api/v3/openOrders',
  '/api/v3/allOrders',
] as const;
/** How asking for the truth can fail. */
const READ_FAULTS: Readonly<Record<string, FaultMaker>> = {
  'read failed': (dice) => ({ match: readOf(dice), kind: 'fail-before', status: 500, body: {}, times: timesOf(dice) }),
  'read lost': (dice) => ({ match: readOf(dice), kind: 'reset', times: timesOf(dice) }),
  'read garbled': (dice) => ({
    match: readOf(dice),
    kind: 'apply-then-fail',
    status: 200,
    body: '<',
    times: timesOf(dice),
  }),
  'read slow': (dice) => ({ match: readOf(dice), kind: 'delay', delayMs: dice.between(50, 2 * patienceMs) }),
  'order said to be absent': () => ({
    ...{ match: { method: 'GET', path: '/api/v3/order' }, kind: 'fail-before', status: 400, times: 2 },
    body: { code: -2013, msg: 'Order does not exist.' },
  }),
};

const readOf = (dice: Dice): RequestFault['match'] => ({ method: 'GET', path: dice.pick(READS) });
const timesOf = (dice: Dice): number => 1 + Math.floor(dice.next() * 3);

function drawFault(dice: Dice, makers: Readonly<Record<string, FaultMaker>>): Step {
  const names = Object.keys(makers);
  const name = names[Math.floor(dice.next() * names.length)] ?? '';
  const make = makers[name];
  if (make === undefined) throw new Error('There is no fault to draw.');
  return { kind: 'fault', name, fault: make(dice) };
}

const MAKERS: readonly [weight: number, make: (dice: Dice) => Step][] = [
  [50, (dice) => drawFault(dice, ORDER_FAULTS)],
  [20, (dice) => drawFault(dice, READ_FAULTS)],
  [7, () => ({ kind: 'drop-streams' })],
  [6, () => ({ kind: 'drop-connections' })],
  [7, (dice) => ({ kind: 'kill-worker', downMs: dice.between(0, 300) })],
  [
    10,
    (dice) => ({
      kind: 'engage',
      scope: dice.pick<HaltScope>(['all', 'account', 'profile']),
      freeze: dice.chance(0.2),
      told: dice.chance(0.5),
      forMs: dice.between(50, 900),
    }),
  ],
];
const WEIGHT = MAKERS.reduce((sum, [weight]) => sum + weight, 0);

function drawStep(dice: Dice): Step {
  let left = dice.between(0, WEIGHT);
  for (const [weight, make] of MAKERS) {
    left -= weight;
    if (left < 0) return make(dice);
  }
  return { kind: 'drop-streams' };
}

/** The same schedule for the same seed; what the wall clock makes of it differs a little from run to run. */
export function drawSchedule(seed: number): Schedule {
  const dice = openDice(seed);
  const symbols = dice.chance(0.5) ? ['BTCUSDT'] : ['BTCUSDT', 'ETHUSDT'];
  const coins = symbols.map((symbol) => ({
    symbol,
    period: Math.round(dice.between(30, 50)),
    phase: dice.next(),
  }));
  const amount = dice.pick(['150', '9000', '30000']);
  const lengthMs = Math.round(dice.between(3_000, 4_000));
  const count = Math.round(dice.between(6, 16));
  const steps = Array.from({ length: count }, () => ({
    atMs: Math.round(dice.between(0, lengthMs)),
    step: drawStep(dice),
  })).toSorted((a, b) => a.atMs - b.atMs);
  return { seed, coins, amount, lengthMs, steps };
}

/** A schedule in words, one line a step. */
export const describeSchedule = ({ seed, coins, amount, lengthMs, steps }: Schedule): string =>
  [
    `seed ${seed}: ${coins.map((coin) => coin.symbol).join(', ')} with ${amount} USDT for ${lengthMs} ms`,
    ...steps.map(({ atMs, step }) => `  ${String(atMs).padStart(5)} ms  ${JSON.stringify(step)}`),
  ].join('\n');
