import type { z } from 'zod';
import type { Venue } from '#core/account/account.ts';
import { toNumber } from '#core/amount/decimal.ts';
import { type Candle, INTERVAL_MS, type Interval } from '#core/market/candle.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import { drawCandles, type LineValues, type PositionStep } from '#strategies/draw-candles.ts';
import type { BoundStrategy, DrawnLine } from '#strategies/strategy.ts';
import type { chartPage } from '#api/contract/charts.ts';
import type { Venues } from '#api/frame/venues.ts';

export type ChartPage = z.output<typeof chartPage>;
export type ChartMark = ChartPage['marks'][number];

/** Fills of a coin: those of the candles as marks, and all changes of its position that the candles see. */
interface Trades {
  readonly marks: readonly ChartMark[];
  readonly steps: readonly PositionStep[];
}

export interface ChartRequest {
  readonly venue: Venue;
  readonly symbol: string;
  readonly interval: Interval;
  readonly limit: number;
  readonly before?: string | undefined;
  /** The strategy with its settings. */
  readonly bound: BoundStrategy;
  /** Undefined while no worker has loaded the trading rules. */
  readonly rules: SymbolRules | undefined;
  /** Trades since a time in ms, and before it those of the position that was open then. */
  readonly trades: (fromMs: number) => Promise<Trades>;
}

/** Candles of one request to the exchange. */
const MOST_AT_ONCE = 1000;
/** Candles of the strategy that a page may load: three requests. */
const MOST_OF_STRATEGY = 3000;
/** Decimals of a line beyond those of a price. */
const FINER = 100;

interface CandlesBack {
  readonly symbol: string;
  readonly interval: Interval;
  readonly count: number;
  readonly beforeMs: number | undefined;
}

/** The last `count` candles before a time, oldest first; fewer where the exchange has no older ones. */
async function candlesBack(
  venues: Venues,
  venue: Venue,
  { symbol, interval, count, beforeMs }: CandlesBack,
): Promise<Candle[]> {
  let found: Candle[] = [];
  let cursorMs = beforeMs;
  while (found.length < count) {
    const limit = Math.min(MOST_AT_ONCE, count - found.length);
    const cursor = cursorMs === undefined ? {} : { beforeMs: cursorMs };
    const older = await venues.candles(venue, { symbol, interval, limit, ...cursor });
    found = [...older, ...found];
    cursorMs = older[0]?.openMs;
    if (older.length < limit || cursorMs === undefined) break;
  }
  return found;
}

interface Loaded {
  readonly candles: readonly Candle[];
  /** Candles on the interval of the strategy, its warm-up first; a sentence where they are too many. */
  readonly signal: readonly Candle[] | string;
}

/** The candles of a page, and those behind the lines of its strategy. */
async function load(venues: Venues, { venue, symbol, interval, limit, before, bound }: ChartRequest): Promise<Loaded> {
  const beforeMs = before === undefined ? undefined : Date.parse(before);
  const draws = (bound.drawings?.lines.length ?? 0) > 0;
  const { interval: own, want } = bound.needs;
  const isOwn = draws && interval === own;
  const found = await candlesBack(venues, venue, { symbol, interval, count: limit + (isOwn ? want : 0), beforeMs });
  const candles = found.slice(-limit);
  const [first, last] = [candles[0], candles.at(-1)];
  if (isOwn || !draws || first === undefined || last === undefined) return { candles, signal: isOwn ? found : [] };
  const count = Math.ceil((last.closeMs - first.openMs) / INTERVAL_MS[own]) + want;
  if (count > MOST_OF_STRATEGY)
    return { candles, signal: `The lines of the strategy need ${own} candles: choose shorter candles to see them.` };
  const cursorMs = beforeMs === undefined ? undefined : last.closeMs;
  return { candles, signal: await candlesBack(venues, venue, { symbol, interval: own, count, beforeMs: cursorMs }) };
}

/** One page of a chart. Throws ExchangeError. */
export async function readChartPage(venues: Venues, request: ChartRequest): Promise<ChartPage> {
  const { limit, before, bound } = request;
  const { candles, signal } = await load(venues, request);
  const [first, last] = [candles[0], candles.at(-1)];
  const begins = candles.length < limit;
  const page = {
    candles: candles.map(({ closeMs: _, ...candle }) => candle),
    beginsMs: begins ? (first?.openMs ?? (before === undefined ? null : Date.parse(before))) : null,
    levels: { ...bound.drawings?.levels },
  };
  if (first === undefined || last === undefined) return { ...page, lines: [], linesProblem: null, marks: [] };
  const from = typeof signal === 'string' ? first : (signal[0] ?? first);
  const { marks, steps } = await request.trades(from.openMs);
  const lines = typeof signal === 'string' ? signal : linesOf(request, { candles, signal, steps });
  return {
    ...page,
    ...(typeof lines === 'string' ? { lines: [], linesProblem: lines } : { lines, linesProblem: null }),
    marks: marks.filter(({ at }) => at.getTime() >= first.openMs && at.getTime() < last.closeMs),
  };
}

interface Drawing {
  readonly candles: readonly Candle[];
  readonly signal: readonly Candle[];
  readonly steps: readonly PositionStep[];
}

function linesOf(
  { bound, rules, interval }: ChartRequest,
  { candles, signal, steps }: Drawing,
): ChartPage['lines'] | string {
  const lines = bound.drawings?.lines ?? [];
  if (lines.length === 0) return [];
  if (rules === undefined) return 'The trading rules of the coin are not loaded yet.';
  const values = drawCandles({ bound, rules, candles: signal, steps });
  const grain = FINER / toNumber(rules.price.tick);
  return lines.map((line) => {
    const known = values.get(line.name) ?? [];
    const aligned = alignValues({ line, values: known, signal }, candles, INTERVAL_MS[interval]);
    const pane = line.pane ?? null;
    const rounded = (value: number): number =>
      pane === null ? Math.round(value * grain) / grain : Number(value.toPrecision(6));
    return { ...line, pane, values: aligned.map((value) => (value === null ? null : rounded(value))) };
  });
}

interface SignalValues {
  readonly line: Pick<DrawnLine, 'from'>;
  readonly signal: readonly Pick<Candle, 'openMs' | 'closeMs'>[];
  readonly values: LineValues;
}

/**
 * The values on other candles: a level is the one in force when the candle ends, an indicator the one of the last close
 * within or before it.
 */
function alignValues(
  { line, signal, values }: SignalValues,
  candles: readonly Pick<Candle, 'openMs'>[],
  chartMs: number,
): (number | null)[] {
  let next = 0;
  return candles.map(({ openMs }) => {
    const endMs = openMs + chartMs;
    for (let candle = signal[next]; candle !== undefined; candle = signal[next]) {
      if (line.from === 'open' ? candle.openMs >= endMs : candle.closeMs > endMs) break;
      next += 1;
    }
    return values[next - 1] ?? null;
  });
}
