import { requireDecimal, ZERO } from '#core/amount/decimal.ts';
import { INTERVAL_MS, type Interval, INTERVALS } from '#core/market/candle.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import { randomFrom } from '#core/research/random.ts';
import { emptyColumns, type Series } from '#backtest/columns.ts';

const d = requireDecimal;
/** Midnight UTC, a Monday: longer candles begin whole. */
const START_MS = Date.UTC(2024, 0, 1);

/** The market of a check. Prices, tick and smallest order are multiplied by `scale`. */
export const checkedRules = (scale: number): SymbolRules => ({
  symbol: 'AAAUSDT',
  status: 'TRADING',
  baseAsset: 'AAA',
  quoteAsset: 'USDT',
  orderTypes: ['MARKET', 'LIMIT', 'STOP_LOSS_LIMIT'],
  price: { tick: d(String(scale / 64)), min: d(String(scale / 64)), max: d('100000000') },
  lot: { step: d('0.001'), min: d('0.001'), max: d('900000000') },
  marketLot: { step: ZERO, min: ZERO, max: d('90000000') },
  notional: { min: d(String(5 * scale)), max: d('900000000'), minAppliesToMarket: true },
  band: { bidUp: d('5'), bidDown: d('0.2'), askUp: d('5'), askDown: d('0.2') },
});

/** The next shorter interval that adds up to this one; the interval itself when there is none. */
export const finerThan = (interval: Interval): Interval =>
  INTERVALS.findLast(
    (each) => INTERVAL_MS[each] < INTERVAL_MS[interval] && INTERVAL_MS[interval] % INTERVAL_MS[each] === 0,
  ) ?? interval;

interface WalkOptions {
  readonly seed: number;
  readonly rows: number;
  readonly interval: Interval;
  readonly scale?: number;
}

/** How the price moves for a while: its drift and the size of a step, as shares of the price. */
const PHASES = [
  { drift: 0, step: 0.01 },
  { drift: 0.002, step: 0.012 },
  { drift: -0.002, step: 0.012 },
  { drift: 0, step: 0.0005 },
  { drift: 0, step: 0 },
  { drift: -0.03, step: 0.03 },
  { drift: 0.004, step: 0.004 },
] as const;
const PHASE_ROWS = 60;
const FLOOR_TICKS = 400;

/** A random walk on the tick grid, with trends, flat stretches, crashes, gaps and jumps. */
export function checkedWalk({ seed, rows, interval, scale = 1 }: WalkOptions): Series {
  const random = randomFrom(seed);
  const columns = emptyColumns(rows);
  const lengthMs = INTERVAL_MS[interval];
  const tick = scale / 64;
  let slot = 0;
  let close = 64 * 100;
  let phase: (typeof PHASES)[number] = PHASES[0];
  for (let row = 0; row < rows; row += 1) {
    if (row % PHASE_ROWS === 0) phase = PHASES[Math.floor(random() * PHASES.length)] ?? PHASES[0];
    const hole = row > 0 && random() < 0.003;
    slot += hole ? 2 + Math.floor(random() * 40) : 1;
    const open = hole ? Math.max(FLOOR_TICKS, Math.round(close * (1 + (random() - 0.5) * 0.06))) : close;
    const move = phase.drift + (random() - 0.5) * phase.step;
    const pull = close > 64 * 400 ? -0.004 : close < 64 * 25 ? 0.004 : 0;
    close = Math.max(FLOOR_TICKS, Math.round(open * (1 + move + pull)));
    columns.openMs[row] = START_MS + slot * lengthMs;
    columns.open[row] = open * tick;
    columns.high[row] = (Math.max(open, close) + Math.floor(random() * open * phase.step * 0.3)) * tick;
    columns.low[row] = (Math.min(open, close) - Math.floor(random() * open * phase.step * 0.3)) * tick;
    columns.close[row] = close * tick;
    columns.volume[row] = 1000 + Math.floor(random() * 9000);
  }
  return { interval, columns };
}

/** The same walk up to `cut`, and another one after it. */
export function otherFuture(walk: Series, cut: number, seed: number): Series {
  const other = checkedWalk({ seed, rows: walk.columns.openMs.length, interval: walk.interval });
  const columns = emptyColumns(walk.columns.openMs.length);
  for (const name of ['open', 'high', 'low', 'close', 'volume'] as const) {
    columns[name].set(other.columns[name]);
    columns[name].set(walk.columns[name].subarray(0, cut));
  }
  columns.openMs.set(walk.columns.openMs);
  return { interval: walk.interval, columns };
}
