import type { HaltScope } from '#core/halts.ts';
import { type Dice, openDice } from '../flow/random.ts';
import { ORDER_FAULTS, READ_FAULTS, type RequestFault, type RequestMatch } from './fault-table.ts';

/** Where a piece of the worker's traffic is waited for, and what it holds. */
export interface Trigger {
  readonly link: 'database' | 'exchange';
  readonly pattern: string;
}

/** What happens to a run. `told`: whether the worker hears of a kill switch at once or finds it by itself. */
export type Step =
  | { readonly kind: 'fault'; readonly fault: RequestFault }
  | { readonly kind: 'event-fault'; readonly fault: { readonly kind: string; readonly times: number } }
  | { readonly kind: 'drop-streams' }
  | { readonly kind: 'drop-connections' }
  | { readonly kind: 'restart-database'; readonly downMs: number }
  | { readonly kind: 'kill-worker'; readonly downMs: number }
  | { readonly kind: 'clock-jump'; readonly byMs: number; readonly match: RequestMatch }
  | {
      readonly kind: 'engage';
      readonly scope: HaltScope;
      readonly freeze: boolean;
      readonly told: boolean;
      readonly forMs: number;
    }
  /** Does `step` when so many more pieces have passed after the one that is waited for: between any two awaits. */
  | { readonly kind: 'at'; readonly trigger: Trigger; readonly pieces: number; readonly step: Step | null };

export interface Schedule {
  readonly seed: number;
  readonly coins: readonly { readonly symbol: string; readonly period: number; readonly phase: number }[];
  /** What one entry spends: one level of the exchange's book holds about 8,000 USDT, so that more is filled in parts. */
  readonly amount: string;
  /** What the grid demands, played first and waited for. */
  readonly cell: { readonly name: string; readonly steps: readonly Step[] };
  readonly lengthMs: number;
  /** In the order of time, once the cell has been played. */
  readonly steps: readonly { readonly atMs: number; readonly step: Step }[];
}

/** What the faults are crossed with. `match` names its request, `trigger` the moment before it is durable or sent. */
interface Column {
  readonly match: RequestMatch;
  readonly trigger: Trigger;
  readonly engages?: true;
}

const ORDER = { method: 'POST', path: '/api/v3/order' } as const;
const intentOf = (letters: string): Trigger => ({
  link: 'database',
  pattern: `intent-insert[^]*tw1-[0-9a-z]{13}-[${letters}]`,
});
const COLUMNS: Readonly<Record<string, Column>> = {
  entry: { match: { ...ORDER, text: 'side=BUY' }, trigger: intentOf('e') },
  exit: { match: { ...ORDER, text: 'side=SELL' }, trigger: intentOf('x') },
  'kill switch': { match: ORDER, trigger: intentOf('exsm'), engages: true },
};

/** Longest way of an order in pieces of traffic, from its commit to the last write of its fills. */
const MOST_PIECES = 30;
const timesOf = (dice: Dice): number => 1 + Math.floor(dice.next() * 3);
const downMsOf = (dice: Dice): number => Math.round(dice.between(0, 300));

type StepMaker = (dice: Dice, column: Column) => Step;
const eventFault =
  (kind: string): StepMaker =>
  (dice) => ({ kind: 'event-fault', fault: { kind, times: timesOf(dice) } });
const atOrder =
  (make: StepMaker): StepMaker =>
  (dice, column) => ({
    ...{ kind: 'at', trigger: column.trigger, pieces: Math.floor(dice.next() * MOST_PIECES) },
    step: make(dice, column),
  });

/** What can become of everything around an order on its way. */
const WORLD_FAULTS: Readonly<Record<string, StepMaker>> = {
  'worker killed': atOrder((dice) => ({ kind: 'kill-worker', downMs: downMsOf(dice) })),
  'database restarted': atOrder((dice) => ({ kind: 'restart-database', downMs: downMsOf(dice) })),
  'database connections dropped': atOrder(() => ({ kind: 'drop-connections' })),
  'stream gap': atOrder(() => ({ kind: 'drop-streams' })),
  'event lost': eventFault('drop'),
  'event twice': eventFault('duplicate'),
  'events out of order': eventFault('reorder'),
  'event garbled': eventFault('garbage'),
  'clock jump': (dice, { match }) => ({ kind: 'clock-jump', byMs: dice.pick([-3_000, -700, 6_000]), match }),
};

const requestFault = (name: string): StepMaker => {
  const make = ORDER_FAULTS[name] ?? (() => ({ kind: 'reset' }) as const);
  return (dice, { match }) => ({ kind: 'fault', fault: { match, ...make(dice) } });
};
const ROWS: Readonly<Record<string, StepMaker>> = {
  ...Object.fromEntries(Object.keys(ORDER_FAULTS).map((name) => [name, requestFault(name)])),
  ...WORLD_FAULTS,
};

/** Every fault with everything it is crossed with: what a run of as many seeds in a row plays in full. */
export const GRID = Object.keys(COLUMNS).flatMap((column) =>
  Object.keys(ROWS).map((row) => ({ row, column, name: `${row} × ${column}` })),
);

const engageStep: StepMaker = (dice) => ({
  kind: 'engage',
  scope: dice.pick<HaltScope>(['all', 'account', 'profile']),
  freeze: dice.chance(0.2),
  told: dice.chance(0.5),
  forMs: Math.round(dice.between(50, 700)),
});

function drawCell(seed: number, dice: Dice): Schedule['cell'] {
  const { row, column: columnName, name } = GRID[seed % GRID.length] ?? { row: '', column: '', name: '' };
  const column = COLUMNS[columnName];
  const make = ROWS[row];
  if (column === undefined || make === undefined) throw new Error(`The grid has no cell ${name}.`);
  const step = make(dice, column);
  const seen: Step = { kind: 'at', trigger: column.trigger, pieces: 0, step: null };
  const engaged: Step = { ...seen, pieces: Math.floor(dice.next() * 8), step: engageStep(dice, column) };
  return { name, steps: [step, column.engages === true ? engaged : seen] };
}

const anyOrder: Column = { match: ORDER, trigger: intentOf('exsm') };
const among = (makers: Readonly<Record<string, StepMaker>>): StepMaker => {
  const names = Object.keys(makers);
  return (dice) =>
    makers[names[Math.floor(dice.next() * names.length)] ?? '']?.(dice, anyOrder) ?? { kind: 'drop-streams' };
};
const orderFault = among(Object.fromEntries(Object.keys(ORDER_FAULTS).map((name) => [name, requestFault(name)])));
const readFault = among(
  Object.fromEntries(
    Object.entries(READ_FAULTS).map(([name, make]) => [name, (dice) => ({ kind: 'fault', fault: make(dice) })]),
  ),
);
/** Weight, and what happens. Whatever waits for an order would hold up the schedule, so it is left to the cell. */
const MAKERS: readonly [weight: number, make: StepMaker][] = [
  [45, orderFault],
  [20, readFault],
  [7, () => ({ kind: 'drop-streams' })],
  [5, () => ({ kind: 'drop-connections' })],
  [4, (dice) => ({ kind: 'restart-database', downMs: downMsOf(dice) })],
  [7, (dice) => ({ kind: 'kill-worker', downMs: downMsOf(dice) })],
  [4, (dice) => eventFault(dice.pick(['drop', 'duplicate', 'reorder', 'garbage']))(dice, anyOrder)],
  [10, engageStep],
];
const WEIGHT = MAKERS.reduce((sum, [weight]) => sum + weight, 0);

function drawStep(dice: Dice): Step {
  let left = dice.between(0, WEIGHT);
  for (const [weight, make] of MAKERS) {
    left -= weight;
    if (left < 0) return make(dice, anyOrder);
  }
  return { kind: 'drop-streams' };
}

/** The same schedule for the same seed; what the wall clock makes of it differs a little from run to run. */
export function drawSchedule(seed: number): Schedule {
  const dice = openDice(seed);
  const symbols = dice.chance(0.5) ? ['BTCUSDT'] : ['BTCUSDT', 'ETHUSDT'];
  const coins = symbols.map((symbol) => ({
    symbol,
    period: Math.round(dice.between(18, 26)),
    phase: dice.next(),
  }));
  const amount = dice.pick(['150', '9000', '30000']);
  const cell = drawCell(seed, dice);
  const lengthMs = Math.round(dice.between(800, 1_600));
  const count = Math.round(dice.between(3, 9));
  const steps = Array.from({ length: count }, () => ({
    atMs: Math.round(dice.between(0, lengthMs)),
    step: drawStep(dice),
  })).toSorted((a, b) => a.atMs - b.atMs);
  return { seed, coins, amount, cell, lengthMs, steps };
}

/** A schedule in words, one line a step. */
export const describeSchedule = ({ seed, coins, amount, cell, lengthMs, steps }: Schedule): string =>
  [
    `seed ${seed}: ${coins.map((coin) => coin.symbol).join(', ')} with ${amount} USDT: ${cell.name}`,
    ...cell.steps.map((step) => `    first  ${JSON.stringify(step)}`),
    ...steps.map(({ atMs, step }) => `  ${String(atMs).padStart(4)} ms  ${JSON.stringify(step)}`),
    `  ${String(lengthMs).padStart(4)} ms  the end`,
  ].join('\n');
