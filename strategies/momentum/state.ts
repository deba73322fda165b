import { z } from 'zod';
import { formatDecimal } from '#core/amount/decimal.ts';
import { createAtr } from '#core/indicators/atr.ts';
import { createEma, type Ema } from '#core/indicators/ema.ts';
import {
  type BarIndicator,
  type IndicatorState,
  isIndicatorState,
  type LineIndicator,
} from '#core/indicators/indicator.ts';
import { createSma } from '#core/indicators/sma.ts';
import type { Grid } from '#strategies/strategy.ts';
import { tickScale } from '#strategies/ticks.ts';
import type { Config } from './config.ts';

/** Levels of a position in whole ticks; 0 when there is none. They never fall inside a position. */
interface Ratchets {
  /** The cycle of the levels. */
  cycle: number;
  /** Highest close since the buy, at least the average entry price. */
  high: number;
  stop: number;
  /** The tighter stop in profit. */
  leg: number;
  /** The averages crossed down while the position was held. */
  exitSignal: boolean;
  /** Close time of the last candle that moved the ratchets. */
  ratchetedMs: number;
  /** Open time of the newest closed candle when the last fill arrived; -1 before the first. */
  actionOpenMs: number;
}

/** State that every closed candle updates; averages are quote prices. */
export interface Series {
  readonly fast: Ema;
  readonly slow: Ema;
  readonly atr: BarIndicator | null;
  readonly trend: LineIndicator | null;
  readonly extension: LineIndicator | null;
  /** Values of the trend average, newest last, one more than the slope looks back. */
  trendPast: number[];
  closedCount: number;
  lastOpenMs: number;
  close: number;
  /** Fast and slow before the newest closed candle; 0 before there were any. */
  fastBefore: number;
  slowBefore: number;
}

export interface Memory {
  readonly ratchets: Ratchets;
  series: Series;
}

const level = z.number().nonnegative();
const stored = z.object({
  v: z.literal(1),
  tick: z.string(),
  ratchets: z.object({
    cycle: z.int(),
    high: level,
    stop: level,
    leg: level,
    exitSignal: z.boolean(),
    ratchetedMs: z.number(),
    actionOpenMs: z.number(),
  }),
  shape: z.string(),
  series: z.object({
    indicators: z.record(z.string(), z.custom<IndicatorState>(isIndicatorState)),
    trendPast: z.array(z.number()),
    closedCount: z.int().nonnegative(),
    lastOpenMs: z.number(),
    close: z.number(),
    fastBefore: z.number(),
    slowBefore: z.number(),
  }),
});

/** Settings of the averages. A saved state with other settings is discarded. */
const shapeOf = ({ candleInterval, ema, atrTrailing, trendFilter, entryExtension }: Config): string =>
  JSON.stringify([candleInterval, ema, atrTrailing, trendFilter, entryExtension]);

type Saved = Readonly<Record<string, IndicatorState>>;

/** Averages for the config: new, or restored from the saved state. */
export function createSeries(config: Config, saved: Saved = {}): Series {
  const { ema, atrTrailing, trendFilter, entryExtension } = config;
  const createTrend = trendFilter.maType === 'sma' ? createSma : createEma;
  return {
    fast: createEma(Math.max(1, ema.fast), saved['fast']),
    slow: createEma(Math.max(1, ema.slow), saved['slow']),
    atr: isOff(atrTrailing.multiplier) ? null : createAtr(Math.max(1, atrTrailing.period), saved['atr']),
    trend: trendFilter.period === 0 ? null : createTrend(Math.max(1, trendFilter.period), saved['trend']),
    extension: isOff(entryExtension.maxPercentage)
      ? null
      : createSma(Math.max(1, entryExtension.period), saved['extension']),
    trendPast: [],
    closedCount: 0,
    lastOpenMs: -1,
    close: 0,
    fastBefore: 0,
    slowBefore: 0,
  };
}

const isOff = (text: string): boolean => Number(text) === 0;

const FRESH: Readonly<Ratchets> = {
  cycle: 0,
  high: 0,
  stop: 0,
  leg: 0,
  exitSignal: false,
  ratchetedMs: 0,
  actionOpenMs: -1,
};

interface Frame {
  readonly config: Config;
  readonly grid: Grid;
}

/** State as plain JSON. */
export function writeState({ ratchets, series }: Memory, { config, grid }: Frame): z.input<typeof stored> {
  const { fast, slow, atr, trend, extension, ...plain } = series;
  const indicators: Record<string, IndicatorState> = { fast: fast.state(), slow: slow.state() };
  if (atr !== null) indicators['atr'] = atr.state();
  if (trend !== null) indicators['trend'] = trend.state();
  if (extension !== null) indicators['extension'] = extension.state();
  return {
    v: 1,
    tick: formatDecimal(grid.tick),
    ratchets: { ...ratchets },
    shape: shapeOf(config),
    series: { ...plain, trendPast: [...plain.trendPast], indicators },
  };
}

/**
 * The memory of a saved state; a new one when the saved state is absent or unreadable. Ratchets survive a change of the
 * config and of the tick size. Averages with other settings restart from the warm-up candles.
 */
export function readState(value: unknown, { config, grid }: Frame): Memory {
  const parsed = stored.safeParse(value);
  const scale = parsed.success ? tickScale(parsed.data.tick, grid) : undefined;
  if (!parsed.success || scale === undefined) return { ratchets: { ...FRESH }, series: createSeries(config) };
  const { ratchets, shape, series } = parsed.data;
  return {
    ratchets: {
      ...ratchets,
      high: Math.round(ratchets.high * scale),
      stop: Math.floor(ratchets.stop * scale + 1e-6),
      leg: Math.floor(ratchets.leg * scale + 1e-6),
    },
    series: shape === shapeOf(config) ? restoreSeries(config, series) : createSeries(config),
  };
}

/** An indicator throws on a state of another kind. The averages then restart. */
function restoreSeries(config: Config, saved: z.output<typeof stored>['series']): Series {
  const { indicators, ...plain } = saved;
  try {
    return { ...createSeries(config, indicators), ...plain };
  } catch {
    return createSeries(config);
  }
}
