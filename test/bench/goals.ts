import type { Figure, Range } from './report.ts';

interface Bound {
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** The bounds that a figure must reach: in its unit, as a multiple of what was measured next to it, or both. */
interface Goal {
  readonly measured?: Bound & { readonly unit: string };
  readonly ratio?: Bound;
  /** Where it is not reached: what limits it. */
  readonly limit?: string;
}

const ORDER_ROWS =
  'the rows of an order (three locks, the state of its coin, its own row with its indexes) cost 0.42 ms more than one row';
const SLOWEST_ORDERS = 'the slowest percent waits for the disk, which differs from minute to minute';

/** The goals by the id of their figure. */
export const GOALS: Readonly<Record<string, Goal>> = {
  'backtest.momentum-fills': {
    // Five times the 2 M candles/s of the first versions.
    measured: { atLeast: 10, unit: 'M candles/s' },
    limit: 'the median round is; one that collects the garbage of the others takes up to twice as long',
  },
  'backtest.json-memory': {
    measured: { atMost: 250, unit: 'MB' },
    limit:
      'V8 frees the candles at its next full collection, often after the lists of fills are built; see the attempts below',
  },
  'own.file': {
    measured: { atLeast: 2, unit: 'M candles/s' },
    ratio: { atLeast: 0.6 },
    limit: 'the step of the file, and values of indicators and candles that are copied into its numbers',
  },
  'peers.run': { ratio: { atLeast: 3 } },
  'peers.run-among': {
    ratio: { atLeast: 3 },
    limit: 'the median round is; one that collects the garbage of the lists before it may not be, see below',
  },
  'peers.sweep': { ratio: { atLeast: 100 } },
  'matching.orders': { measured: { atLeast: 20_000, unit: 'a second' } },
  'paper.orders': { measured: { atLeast: 2_000, unit: 'a second' } },
  'streams.p99': { measured: { atMost: 10, unit: 'ms' } },
  'client.p50': { ratio: { atMost: 1.3 } },
  'client.p99': { ratio: { atMost: 2 } },
  'live.1-p50': { ratio: { atMost: 1.3 }, limit: ORDER_ROWS },
  'live.1-p99': { ratio: { atMost: 2 }, limit: SLOWEST_ORDERS },
  'live.100-p50': { ratio: { atMost: 1.3 }, limit: ORDER_ROWS },
  'live.100-p99': { ratio: { atMost: 2 }, limit: SLOWEST_ORDERS },
  'live.500-p50': { ratio: { atMost: 1.3 }, limit: ORDER_ROWS },
  'live.500-p99': { ratio: { atMost: 2 }, limit: SLOWEST_ORDERS },
  'live.closes': { measured: { atMost: 25, unit: 'ms' } },
  'live.cpu': {
    measured: { atMost: 30, unit: 'us' },
    limit: 'of the 25 to 37 us of each of its two messages, 7 to 13 are needed to read it',
  },
  'live.halt-call': { measured: { atMost: 250, unit: 'ms' } },
  'live.halt-effect': { measured: { atMost: 50, unit: 'ms' } },
  'growth.statement': {
    measured: { atMost: 50, unit: 'ms' },
    limit: 'the first read of all days that have ended; their sums are kept, and later reads cost the changes of today',
  },
  'why.p95': { measured: { atMost: 150, unit: 'ms' } },
  'web.overview-requests': { measured: { atMost: 5, unit: 'requests' } },
  'web.overview-size': { measured: { atMost: 15, unit: 'kB' } },
  'web.coin-requests': { measured: { atMost: 5, unit: 'requests' } },
  'web.coin-size': { measured: { atMost: 40, unit: 'kB' } },
  'start.cold': {
    measured: { atMost: 15, unit: 's' },
    limit:
      'of 364 MB of packages 189 are Node and 60 PostgreSQL, so that a machine needs neither; see the attempts below',
  },
  'start.warm': { measured: { atMost: 3, unit: 's' } },
  'start.memory': {
    measured: { atMost: 450, unit: 'MB' },
    limit: 'each process loads all its modules; see the attempts below',
  },
  'start.commits': {
    measured: { atMost: 5, unit: 'a second' },
    limit: 'two of them write a row, the others look for changed settings, due jobs and kill switches',
  },
  'year.size': {
    measured: { atMost: 2, unit: 'GB' },
    limit:
      'orders and ledger rows are kept forever, and each of these coins moves its stop 170 times a day; see the attempts below',
  },
};

type Verdict = 'met' | 'not always met' | 'not met';

/** Ends of the range that are within the bound. */
const within = ({ low, high }: Range, { atLeast = -Infinity, atMost = Infinity }: Bound): boolean[] =>
  [low, high].map((end) => end >= atLeast && end <= atMost);

/** Met when the whole range is within every bound. */
export function judge({ id, unit, measured, floor }: Figure, goal: Goal): Verdict {
  if (goal.measured !== undefined && goal.measured.unit !== unit)
    throw new Error(`The goal of ${id} is in ${goal.measured.unit}, but the figure is in ${unit}.`);
  if (goal.ratio !== undefined && floor === undefined)
    throw new Error(`The goal of ${id} is a ratio, but the figure has none.`);
  const ends = [
    ...(goal.measured === undefined ? [] : [within(measured, goal.measured)]),
    ...(goal.ratio === undefined || floor === undefined ? [] : [within(floor.ratio, goal.ratio)]),
  ];
  if (ends.every((each) => each.every(Boolean))) return 'met';
  return ends.every((each) => each.some(Boolean)) ? 'not always met' : 'not met';
}

function boundText({ atLeast, atMost }: Bound): string {
  const parts = [
    ...(atLeast === undefined ? [] : [`at least ${atLeast.toLocaleString('en-US')}`]),
    ...(atMost === undefined ? [] : [`at most ${atMost.toLocaleString('en-US')}`]),
  ];
  return parts.join(', ');
}

/** The goal as the table shows it. */
export const goalText = ({ measured, ratio }: Goal): string =>
  [
    ...(measured === undefined ? [] : [`${boundText(measured)} ${measured.unit}`]),
    ...(ratio === undefined ? [] : [`${boundText(ratio)} times`]),
  ].join('; ');
