import { z } from 'zod';
import type { Interval } from '#core/market/candle.ts';
import { formatDecimal } from '#core/amount/decimal.ts';
import { createAtr } from '#core/indicators/atr.ts';
import {
  type BarIndicator,
  type IndicatorState,
  isIndicatorState,
  type LineIndicator,
} from '#core/indicators/indicator.ts';
import { createRsi } from '#core/indicators/rsi.ts';
import { createWindowLow, type WindowLow } from '#core/indicators/window-low.ts';
import type { Grid } from '#strategies/strategy.ts';
import { tickScale } from '#strategies/ticks.ts';

/** State between ticks. Levels are whole ticks, 0 when there is none. */
export interface Memory {
  /** The cycle of the ratchets. */
  cycle: number;
  /** Highest close since the trail was armed. */
  high: number;
  /** Never falls inside a position. */
  trailStop: number;
  /** The floor is active. */
  breakEven: boolean;
  /** Number of completed partial sales in this cycle. */
  rungsDone: number;
  /** The partial sale in flight: completed sales after it, its lots, and the lots held before; 0 when there is none. */
  rungNext: number;
  rungLots: number;
  rungFrom: number;
  /** Last close that counts for the position. */
  lastClose: number;
  /** Close time of the last candle that moved the ratchets. */
  ratchetedMs: number;
  lastOpenMs: number;
  window: WindowLow;
  rsi: LineIndicator | null;
  atr: BarIndicator | null;
}

const level = z.number().nonnegative();
const count = z.int().nonnegative().default(0);
const stored = z.object({
  v: z.literal(1),
  tick: z.string(),
  cycle: z.int(),
  high: level,
  trailStop: level,
  lastClose: level,
  ratchetedMs: z.number(),
  breakEven: z.boolean().default(false),
  rungsDone: count,
  rungNext: count,
  rungLots: count,
  rungFrom: count,
  /** Settings of the indicators; empty without any. */
  shape: z.string().default(''),
  indicators: z.record(z.string(), z.custom<IndicatorState>(isIndicatorState)).default({}),
  window: z.object({
    interval: z.string(),
    length: z.int(),
    lastOpenMs: z.number(),
    count: z.int().nonnegative(),
    lows: z.array(z.tuple([z.number(), z.number()])),
  }),
});

interface Frame {
  readonly grid: Grid;
  readonly interval: Interval;
  readonly length: number;
  readonly rsi: boolean;
  /** Candles of the average true range, 0 when it is off. */
  readonly atrPeriod: number;
}

const RSI_PERIOD = 14;

const shapeOf = ({ rsi, atrPeriod }: Frame): string =>
  `${rsi ? `rsi ${RSI_PERIOD} ` : ''}${atrPeriod > 0 ? `atr ${atrPeriod} ` : ''}`.trim();

/** State as plain JSON. */
export function writeState(memory: Memory, frame: Frame): z.output<typeof stored> {
  const { window, rsi, atr, lastOpenMs, ...ratchets } = memory;
  const indicators: Record<string, IndicatorState> = {};
  if (rsi !== null) indicators['rsi'] = rsi.state();
  if (atr !== null) indicators['atr'] = atr.state();
  return {
    v: 1,
    tick: formatDecimal(frame.grid.tick),
    ...ratchets,
    shape: shapeOf(frame),
    indicators,
    window: {
      interval: frame.interval,
      length: frame.length,
      lastOpenMs,
      count: window.count(),
      lows: window.entries(),
    },
  };
}

type Series = Pick<Memory, 'window' | 'rsi' | 'atr' | 'lastOpenMs'>;

const createSeries = (
  { length, rsi, atrPeriod }: Frame,
  saved: Readonly<Record<string, IndicatorState>> = {},
): Series => ({
  lastOpenMs: -1,
  window: createWindowLow(length),
  rsi: rsi ? createRsi(RSI_PERIOD, saved['rsi']) : null,
  atr: atrPeriod > 0 ? createAtr(atrPeriod, saved['atr']) : null,
});

const FRESH = {
  cycle: 0,
  high: 0,
  trailStop: 0,
  breakEven: false,
  rungsDone: 0,
  rungNext: 0,
  rungLots: 0,
  rungFrom: 0,
  lastClose: 0,
  ratchetedMs: 0,
};

/**
 * The memory of a saved state; a new one when the saved state is absent or unreadable. Ratchets survive a change of the
 * config and of the tick size. Window and indicators are filled again from the warm-up candles when their settings changed.
 */
export function readState(value: unknown, frame: Frame): Memory {
  const parsed = stored.safeParse(value);
  const scale = parsed.success ? tickScale(parsed.data.tick, frame.grid) : undefined;
  if (!parsed.success || scale === undefined) {
    return { ...FRESH, ...createSeries(frame) };
  }
  const { cycle, high, trailStop, breakEven, lastClose, ratchetedMs, ...saved } = parsed.data;
  const { rungsDone, rungNext, rungLots, rungFrom } = saved;
  const ratchets = {
    cycle,
    high: Math.round(high * scale),
    trailStop: Math.floor(trailStop * scale + 1e-6),
    breakEven,
    lastClose: Math.round(lastClose * scale),
    ratchetedMs,
    rungsDone,
    rungNext,
    rungLots,
    rungFrom,
  };
  return { ...ratchets, ...(scale === 1 ? restoreSeries(parsed.data, frame) : createSeries(frame)) };
}

/** An indicator throws on a state of another kind. All indicators then restart. */
function restoreSeries({ window, shape, indicators }: z.output<typeof stored>, frame: Frame): Series {
  if (window.interval !== frame.interval || window.length !== frame.length || shape !== shapeOf(frame))
    return createSeries(frame);
  const restored = createWindowLow(frame.length, { count: window.count, entries: window.lows });
  try {
    return { ...createSeries(frame, indicators), lastOpenMs: window.lastOpenMs, window: restored };
  } catch {
    return createSeries(frame);
  }
}
