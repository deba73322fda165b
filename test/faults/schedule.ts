import type { HaltScope } from '#core/account/halts.ts';
import { type Dice, openDice } from '#test/flow/random.ts';
import { firstReadFault, ORDER_FAULTS, READ_FAULTS, type RequestFault, type RequestMatch } from './fault-table.ts';

/** Partly fills an order of the column; a resting order must arrive first. */
const PARTLY = 'partly filled, then gone';

/** Needs two coins: the candles of one cannot be read. */
const UNREAD = 'candles of another coin unread';

/** A piece of the worker's traffic to wait for: its link and its content. */
export interface Trigger {
  readonly link: 'database' | 'exchange';
  readonly pattern: string;
}

/** One step of a run. `notified`: whether the worker is notified of a kill switch, or finds it when it next reads. */
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
      readonly notified: boolean;
      readonly forMs: number;
      /** Whether the operator tries a manual buy meanwhile. */
      readonly buys: boolean;
    }
  /** For this time orders can only take the best price of each book, and stops trigger: partial fills, then expiry. */
  | { readonly kind: 'thin'; readonly forMs: number }
  /** The worker restarts while the exchange fails its first reads. */
  | { readonly kind: 'start-blind'; readonly fault: RequestFault; readonly downMs: number }
  /** Candles of the last coin become unreadable, the coin is opened again, and the first coin is sold manually. */
  | { readonly kind: 'unread-candles' }
  /** The exchange makes the grid of the first coin ten times coarser. */
  | { readonly kind: 'change-grid'; readonly by: 'tick' | 'step' }
  /** The database answers reads only. */
  | { readonly kind: 'refuse-writes'; readonly forMs: number }
  /** Takes a backup now, restores it once it lacks an order, and releases the kill switch of the restore later. */
  | { readonly kind: 'restore'; readonly pieces: number; readonly haltMs: number }
  /** The operator turns the stop on the exchange off. */
  | { readonly kind: 'unguard' }
  /** A manual order of the operator; with `cancel`, a manual cancel of the resting order follows. */
  | {
      readonly kind: 'request';
      readonly action: 'manual-order' | 'force-sell';
      readonly payload: object;
      readonly cancel: boolean;
    }
  /** Performs `step` when `pieces` more pieces have passed after the trigger: between any two awaits. */
  | { readonly kind: 'at'; readonly trigger: Trigger; readonly pieces: number; readonly step: Step | null };

export interface Schedule {
  readonly seed: number;
  readonly coins: readonly { readonly symbol: string; readonly period: number; readonly phase: number }[];
  /** Size of an entry, in USDT. One level of the book holds about 8,000 USDT; a larger order gets several fills. */
  readonly amount: string;
  /** Whether each position keeps a stop on the exchange. */
  readonly guarded: boolean;
  /** Whether a target rests next to each stop, as one order list. */
  readonly listed: boolean;
  /** Fees are charged in a third asset, for which the worker finds no price. */
  readonly thirdAssetFees: boolean;
  /** The steps of the grid's cell, performed first and awaited. */
  readonly cell: { readonly name: string; readonly steps: readonly Step[] };
  readonly lengthMs: number;
  /** In the order of time, after the steps of the cell. */
  readonly steps: readonly { readonly atMs: number; readonly step: Step }[];
}

/** A column of the grid. `match` names its request, `trigger` the moment before it is durable or sent. */
interface Column {
  readonly match: RequestMatch;
  readonly trigger: Trigger;
  /** With and without stops when undefined. */
  readonly guarded?: boolean;
  /** With order lists. */
  readonly listed?: true;
  /** The step that makes its request happen. */
  readonly also?: StepMaker;
}

const ORDER = { method: 'POST', path: '/api/v3/order' } as const;
const REPLACE = { method: 'POST', path: '/api/v3/order/cancelReplace' } as const;
const CANCEL = { method: 'DELETE', path: '/api/v3/order' } as const;
const LIST = { method: 'POST', path: '/api/v3/orderList/oco' } as const;
const CANCEL_LIST = { method: 'DELETE', path: '/api/v3/orderList' } as const;
const intentOf = (letters: string): Trigger => ({
  link: 'database',
  pattern: `intent-commit[^]*tw1-[0-9a-z]{13}-[${letters}]`,
});
const requestOf = ({ method, path = '\\S*' }: RequestMatch, text = ''): Trigger => ({
  link: 'exchange',
  pattern: `^${method} ${path}\\?[^]*${text}`,
});
/** Also matches order lists. */
export const ANY_ORDER: Trigger = { link: 'exchange', pattern: '^POST /api/v3/order' };
const requestStep = (action: 'manual-order' | 'force-sell', payload: object = {}, cancel = false): Step => ({
  ...{ kind: 'request', action, payload, cancel },
});
export const MARKET_BUY = { side: 'buy', type: 'market', quoteAmount: '150' };
/** The market swings between 29,400 and 30,600: an order below may rest for a while, or for the whole run. */
const restingOrder = (price: string): object => ({ side: 'buy', type: 'limit', price, quantity: '0.01' });
const MANUAL_ORDERS: readonly [object, ...object[]] = [
  MARKET_BUY,
  { side: 'buy', type: 'market', quoteAmount: '20000' },
  { side: 'buy', type: 'limit', price: '31000', quantity: '0.5' },
  restingOrder('29700'),
];
/** Part of the id of every manual order. */
const BY_HAND = '-m';
const COLUMNS: Readonly<Record<string, Column>> = {
  entry: { match: { ...ORDER, text: 'side=BUY' }, trigger: intentOf('e') },
  exit: { match: { ...ORDER, text: 'side=SELL' }, trigger: intentOf('x'), guarded: false },
  'exit in place of a stop': { match: { ...REPLACE, text: 'type=MARKET' }, trigger: intentOf('x'), guarded: true },
  'stop create': { match: { ...ORDER, text: 'type=STOP' }, trigger: intentOf('s'), guarded: true },
  'stop replace': {
    ...{ match: { ...REPLACE, text: 'type=STOP' }, trigger: requestOf(REPLACE, 'type=STOP') },
    guarded: true,
  },
  cancel: {
    ...{ match: CANCEL, trigger: requestOf(CANCEL), guarded: true },
    also: () => ({ kind: 'at', trigger: intentOf('s'), pieces: 12, step: { kind: 'unguard' } }),
  },
  'list create': { match: LIST, trigger: intentOf('l'), guarded: true, listed: true },
  'list replace': { match: CANCEL_LIST, trigger: requestOf(CANCEL_LIST), guarded: true, listed: true },
  'list cancel': {
    ...{ match: CANCEL_LIST, trigger: requestOf(CANCEL_LIST), guarded: true, listed: true },
    also: () => ({ kind: 'at', trigger: intentOf('l'), pieces: 12, step: { kind: 'unguard' } }),
  },
  'sale in place of a list': {
    ...{ match: { ...REPLACE, text: 'type=MARKET' }, trigger: requestOf(REPLACE, 'type=MARKET') },
    ...{ guarded: true, listed: true },
    also: () => ({ kind: 'at', trigger: intentOf('l'), pieces: 12, step: requestStep('force-sell') }),
  },
  'manual order': {
    ...{ match: { ...ORDER, text: BY_HAND }, trigger: intentOf('m') },
    also: (dice) => requestStep('manual-order', dice.pick(MANUAL_ORDERS)),
  },
  'manual cancel': {
    ...{ match: { ...CANCEL, text: BY_HAND }, trigger: requestOf(CANCEL, BY_HAND) },
    also: () => requestStep('manual-order', restingOrder('28000'), true),
  },
  'force sale': {
    ...{ match: { method: 'POST', text: BY_HAND }, trigger: intentOf('m') },
    also: () => ({ kind: 'at', trigger: intentOf('e'), pieces: 4, step: requestStep('force-sell') }),
  },
  'kill switch': {
    ...{ match: ORDER, trigger: intentOf('exsm') },
    also: (dice, { trigger }) => ({
      ...{ kind: 'at', trigger, pieces: Math.floor(dice.between(0, FIRST_PIECES)) },
      step: engageStep(dice),
    }),
  },
};

/** Pieces of traffic from the commit of an order to its response, and to the last write of its fills. */
const [FIRST_PIECES, MOST_PIECES] = [8, 60];
const piecesOf = (dice: Dice): number =>
  Math.floor(dice.chance(0.5) ? dice.between(0, FIRST_PIECES) : dice.between(FIRST_PIECES, MOST_PIECES));
const timesOf = (dice: Dice): number => 1 + Math.floor(dice.next() * 3);
/** In a fifth of cases longer than the whole life of an order. */
const downMsOf = (dice: Dice): number => Math.round(dice.between(0, dice.chance(0.2) ? 2_000 : 300));

const startBlind = (dice: Dice): Step => ({
  ...{ kind: 'start-blind', fault: firstReadFault(dice) },
  downMs: downMsOf(dice),
});
const refuseWrites = (dice: Dice): Step => ({ kind: 'refuse-writes', forMs: Math.round(dice.between(50, 900)) });

type StepMaker = (dice: Dice, column: Column) => Step;
const eventFault =
  (kind: string): StepMaker =>
  (dice) => ({ kind: 'event-fault', fault: { kind, times: timesOf(dice) } });
const atOrder =
  (make: StepMaker): StepMaker =>
  (dice, column) => ({
    ...{ kind: 'at', trigger: column.trigger, pieces: piecesOf(dice) },
    step: make(dice, column),
  });

/** Faults of the environment of an order in flight. */
const WORLD_FAULTS: Readonly<Record<string, StepMaker>> = {
  'worker killed': atOrder((dice) => ({ kind: 'kill-worker', downMs: downMsOf(dice) })),
  'database restarted': atOrder((dice) => ({ kind: 'restart-database', downMs: downMsOf(dice) })),
  'database connections dropped': atOrder(() => ({ kind: 'drop-connections' })),
  'stream gap': atOrder(() => ({ kind: 'drop-streams' })),
  'event lost': eventFault('drop'),
  'event twice': eventFault('duplicate'),
  'events out of order': eventFault('reorder'),
  'event garbled': eventFault('garbage'),
  [PARTLY]: (dice, { match }) => ({
    ...{ kind: 'at', trigger: requestOf(match, match.text), pieces: match.text === 'type=STOP' ? 3 : 0 },
    step: { kind: 'thin', forMs: Math.round(dice.between(100, 500)) },
  }),
  'reads failing at a start': atOrder((dice) => startBlind(dice)),
  [UNREAD]: atOrder(() => ({ kind: 'unread-candles' })),
  'tick changed': atOrder(() => ({ kind: 'change-grid', by: 'tick' })),
  'lot step changed': atOrder(() => ({ kind: 'change-grid', by: 'step' })),
  'database refuses writes': atOrder((dice) => refuseWrites(dice)),
  'backup restored': atOrder((dice) => ({
    ...{ kind: 'restore', pieces: piecesOf(dice) },
    haltMs: Math.round(dice.between(100, 1_500)),
  })),
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

/** Every fault with every column: that many consecutive seeds cover all of it. */
export const GRID = Object.keys(COLUMNS).flatMap((column) =>
  Object.keys(ROWS).map((row) => ({ row, column, name: `${row} × ${column}` })),
);

const engageStep = (dice: Dice): Step => ({
  kind: 'engage',
  scope: dice.pick<HaltScope>(['all', 'account', 'profile']),
  freeze: dice.chance(0.2),
  notified: dice.chance(0.5),
  forMs: Math.round(dice.between(50, 700)),
  buys: dice.chance(0.4),
});

/** Runs that reached each cell, of all its runs; one line per fault. */
export function reachedTable(results: readonly { readonly cell: string; readonly reached: boolean }[]): string {
  const columns = Object.keys(COLUMNS);
  const count = (row: string, column: string): string => {
    const mine = results.filter(({ cell }) => cell === `${row} × ${column}`);
    return mine.length === 0 ? '-' : `${mine.filter(({ reached }) => reached).length}/${mine.length}`;
  };
  const width = Math.max(...Object.keys(ROWS).map((row) => row.length)) + 2;
  const lines = Object.keys(ROWS).map(
    (row) => row.padEnd(width) + columns.map((column) => count(row, column).padStart(column.length)).join('  '),
  );
  const missed = results.filter(({ reached }) => !reached).map(({ cell }) => cell);
  const summary = `${results.length - missed.length} of ${results.length} reached the order of their cell`;
  return [' '.repeat(width) + columns.join('  '), ...lines, [summary, ...new Set(missed)].join('\n  not: ')].join('\n');
}

/** Seeds in a row, or at a distance of `step`; with a cell, those that begin with it. */
export function seedsOf(
  cell: string | undefined,
  { first, count, step = 1 }: { readonly first: number; readonly count: number; readonly step?: number },
): number[] {
  const place = GRID.findIndex(({ name }) => name === cell);
  if (cell !== undefined && place < 0) throw new Error(`The grid has no cell "${cell}".`);
  const begin = cell === undefined ? first : first - (first % GRID.length) + place;
  return Array.from({ length: count }, (_, index) => begin + index * (cell === undefined ? step : GRID.length));
}

function drawCell(seed: number, dice: Dice): Pick<Schedule, 'cell' | 'guarded' | 'listed'> {
  const { row, column: columnName, name } = GRID[seed % GRID.length] ?? { row: '', column: '', name: '' };
  const column = COLUMNS[columnName];
  const make = ROWS[row];
  if (column === undefined || make === undefined) throw new Error(`The grid has no cell ${name}.`);
  const seen: Step = { kind: 'at', trigger: column.trigger, pieces: 0, step: null };
  const also = column.also?.(dice, column) ?? seen;
  const guarded = column.guarded ?? dice.chance(0.5);
  return { cell: { name, steps: [make(dice, column), seen, also] }, guarded, listed: column.listed ?? false };
}

const among = (makers: Readonly<Record<string, StepMaker>>): StepMaker => {
  const names = Object.keys(makers);
  return (dice, column) =>
    makers[names[Math.floor(dice.next() * names.length)] ?? '']?.(dice, column) ?? { kind: 'drop-streams' };
};
const orderFault = among(Object.fromEntries(Object.keys(ORDER_FAULTS).map((name) => [name, requestFault(name)])));
const readFault = among(
  Object.fromEntries(
    Object.entries(READ_FAULTS).map(([name, make]) => [name, (dice) => ({ kind: 'fault', fault: make(dice) })]),
  ),
);
/** Weight, and maker of a step. Only cells hold steps that wait for an order: such a step would delay the schedule. */
const MAKERS: readonly [weight: number, make: StepMaker][] = [
  [45, orderFault],
  [20, readFault],
  [7, () => ({ kind: 'drop-streams' })],
  [5, () => ({ kind: 'drop-connections' })],
  [4, (dice) => ({ kind: 'restart-database', downMs: downMsOf(dice) })],
  [7, (dice) => ({ kind: 'kill-worker', downMs: downMsOf(dice) })],
  [3, startBlind],
  [2, refuseWrites],
  [4, (dice, column) => eventFault(dice.pick(['drop', 'duplicate', 'reorder', 'garbage']))(dice, column)],
  [10, engageStep],
  [6, (dice) => requestStep('manual-order', dice.pick(MANUAL_ORDERS), dice.chance(0.5))],
  [2, () => requestStep('force-sell')],
];
const WEIGHT = MAKERS.reduce((sum, [weight]) => sum + weight, 0);

function drawStep(dice: Dice): Step {
  const match = dice.pick([ORDER, ORDER, REPLACE, CANCEL]);
  let left = dice.between(0, WEIGHT);
  for (const [weight, make] of MAKERS) {
    left -= weight;
    if (left < 0) return make(dice, { match, trigger: requestOf(match) });
  }
  return { kind: 'drop-streams' };
}

/** Returns the same schedule for the same seed; its timing differs a little from run to run. */
export function drawSchedule(seed: number): Schedule {
  const dice = openDice(seed);
  const isAlone = dice.chance(0.5);
  const size = dice.pick(['150', '9000', '30000']);
  const { cell, guarded, listed } = drawCell(seed, dice);
  const symbols = isAlone && !cell.name.startsWith(UNREAD) ? ['BTCUSDT'] : ['BTCUSDT', 'ETHUSDT'];
  const isPartly = cell.name.startsWith(PARTLY);
  // The worker needs time to place and move a stop before the price turns.
  const [shortest, longest] = guarded ? [40, 56] : [18, 26];
  const coins = symbols.map((symbol) => ({
    symbol,
    period: Math.round(dice.between(shortest, longest)),
    phase: dice.next(),
  }));
  const lengthMs = Math.round(dice.between(800, 1_600));
  const count = Math.round(dice.between(3, 9));
  const steps = Array.from({ length: count }, () => ({
    atMs: Math.round(dice.between(0, lengthMs)),
    step: drawStep(dice),
  })).toSorted((a, b) => a.atMs - b.atMs);
  const thirdAssetFees = dice.chance(0.2);
  const amount = isPartly ? '30000' : size;
  return { seed, coins, amount, guarded, listed, thirdAssetFees, cell, lengthMs, steps };
}

/** A schedule as text, one line per step. */
export const describeSchedule = ({ seed, coins, amount, cell, lengthMs, steps, ...options }: Schedule): string =>
  [
    `seed ${seed}: ${coins.map((coin) => coin.symbol).join(', ')} with ${amount} USDT${options.guarded ? ' and stops' : ''}${options.listed ? ' with targets' : ''}${options.thirdAssetFees ? ', fees in BNB' : ''}: ${cell.name}`,
    ...cell.steps.map((step) => `    first  ${JSON.stringify(step)}`),
    ...steps.map(({ atMs, step }) => `  ${String(atMs).padStart(4)} ms  ${JSON.stringify(step)}`),
    `  ${String(lengthMs).padStart(4)} ms  the end`,
  ].join('\n');
