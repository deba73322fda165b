import type { CoinDay } from './benchmarks.ts';
import { lowerBound } from '#core/market/candle-columns.ts';
import type { Part, Regime } from '#core/research/backtest-result.ts';
import { sharpe } from '#core/research/sharpe.ts';
import type { CycleColumns } from './cycle-columns.ts';
import { dailyReturns } from './metrics.ts';

/** Share of the days, at the end of the window, that is held out. */
const HOLDOUT = 0.3;
const REGIME_DAYS = 20;
const REGIME_MOVE = 0.05;

interface SplitInput {
  readonly balance: number;
  /** Equity at the end of each UTC day, one for each of `coin`. */
  readonly days: readonly number[];
  readonly coin: readonly CoinDay[];
  readonly cycles: CycleColumns;
}

const compound = (returns: readonly number[]): number =>
  returns.reduce((product, value) => product * (1 + value), 1) - 1;

interface Closed {
  closedCycles: number;
  net: number;
}

/** Adds the cycles that closed in a span, its end exclusive. */
function addClosed(
  sum: Closed,
  { closedMs, net }: CycleColumns,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): void {
  const to = lowerBound(closedMs, toMs);
  for (let i = lowerBound(closedMs, fromMs); i < to; i++) {
    sum.closedCycles += 1;
    sum.net += net[i] ?? 0;
  }
}

function deepestFall(balance: number, days: readonly number[]): number {
  let peak = balance;
  let deepest = 0;
  for (const equity of days) {
    peak = Math.max(peak, equity);
    deepest = Math.max(deepest, 1 - equity / peak);
  }
  return deepest;
}

/** Metrics of days `from` to `to` (exclusive), starting with the equity of the day before. */
function partOf({ balance, days, coin, cycles }: SplitInput, from: number, to: number): Part {
  const before = days[from - 1] ?? balance;
  const own = days.slice(from, to);
  const startMs = coin[from]?.startMs ?? 0;
  const endMs = coin[to]?.startMs ?? Number.POSITIVE_INFINITY;
  const closed: Closed = { closedCycles: 0, net: 0 };
  addClosed(closed, cycles, { fromMs: startMs, toMs: endMs });
  const coinBefore = coin[from - 1]?.close ?? coin[from]?.open ?? 0;
  return {
    from: new Date(startMs).toISOString(),
    days: own.length,
    totalReturn: (own.at(-1) ?? before) / before - 1,
    buyAndHold: (coin[to - 1]?.close ?? coinBefore) / coinBefore - 1,
    sharpe: sharpe(dailyReturns({ days: own, balance: before })),
    drawdown: deepestFall(before, own),
    ...closed,
  };
}

/**
 * The first 70 % and the last 30 % of the days separately. Settings tuned on the first part should also work on the second.
 * Null for a window of fewer than ten days.
 */
export function holdout(input: SplitInput): { readonly inSample: Part; readonly outOfSample: Part } | null {
  const total = input.days.length;
  if (total < 10) return null;
  const split = total - Math.ceil(total * HOLDOUT);
  return { inSample: partOf(input, 0, split), outOfSample: partOf(input, split, total) };
}

/**
 * The run by the trend of the coin. `up`: it closed 5 % above its close of 20 days before. `down`: 5 % below. `sideways`:
 * between. `unknown`: the first 20 days. Each day and cycle counts once.
 */
export function regimes({ balance, days, coin, cycles }: SplitInput): Record<string, Regime> {
  const nameOf = (day: number): string => {
    const before = coin[day - REGIME_DAYS]?.close;
    if (before === undefined) return 'unknown';
    const move = (coin[day]?.close ?? before) / before - 1;
    return move >= REGIME_MOVE ? 'up' : move <= -REGIME_MOVE ? 'down' : 'sideways';
  };
  const returns = dailyReturns({ days, balance });
  const coinReturns = coin.map(({ close, open }, day) => close / (coin[day - 1]?.close ?? open ?? close) - 1);
  const groups = Map.groupBy(coin.keys(), nameOf);
  return Object.fromEntries(
    ['up', 'down', 'sideways', 'unknown'].flatMap((name) => {
      const own = groups.get(name);
      if (own === undefined) return [];
      const closed: Closed = { closedCycles: 0, net: 0 };
      for (const day of own) {
        const toMs = coin[day + 1]?.startMs ?? Number.POSITIVE_INFINITY;
        addClosed(closed, cycles, { fromMs: coin[day]?.startMs ?? 0, toMs });
      }
      const regime: Regime = {
        days: own.length,
        totalReturn: compound(own.map((day) => returns[day] ?? 0)),
        coinReturn: compound(own.map((day) => coinReturns[day] ?? 0)),
        ...closed,
      };
      return [[name, regime]];
    }),
  );
}
