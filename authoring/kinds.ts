import { createAdx } from '#core/indicators/adx.ts';
import { createAtr } from '#core/indicators/atr.ts';
import { createAwesome } from '#core/indicators/awesome.ts';
import { createBollinger } from '#core/indicators/bollinger.ts';
import { createCci } from '#core/indicators/cci.ts';
import { createDonchian } from '#core/indicators/donchian.ts';
import { createElderPower } from '#core/indicators/elder-power.ts';
import { createEma } from '#core/indicators/ema.ts';
import { createHma } from '#core/indicators/hma.ts';
import { createIchimoku } from '#core/indicators/ichimoku.ts';
import type { BarIndicator, Indicator, IndicatorState, LineIndicator } from '#core/indicators/indicator.ts';
import { createKeltner } from '#core/indicators/keltner.ts';
import { createMacd } from '#core/indicators/macd.ts';
import { createMfi } from '#core/indicators/mfi.ts';
import { createMomentum } from '#core/indicators/momentum.ts';
import { createObv } from '#core/indicators/obv.ts';
import { createRsi } from '#core/indicators/rsi.ts';
import { createSma } from '#core/indicators/sma.ts';
import { createStochRsi } from '#core/indicators/stoch-rsi.ts';
import { createStochastic } from '#core/indicators/stochastic.ts';
import { createSupertrend } from '#core/indicators/supertrend.ts';
import { createTechnicalRating } from '#core/indicators/technical-rating.ts';
import { createUltimate } from '#core/indicators/ultimate.ts';
import { createVwap } from '#core/indicators/vwap.ts';
import { createVwma } from '#core/indicators/vwma.ts';
import { createWilder } from '#core/indicators/wilder.ts';
import { createWilliamsR } from '#core/indicators/williams-r.ts';
import { createWindowDeviation } from '#core/indicators/window-deviation.ts';
import { createWindowRange } from '#core/indicators/window-range.ts';
import { createWma } from '#core/indicators/wma.ts';
import { createZScore } from '#core/indicators/z-score.ts';
import type { Candle } from '#core/market/candle.ts';

/** An indicator of a strategy file, running. */
export interface Runner {
  /** `value` is its source; candles of indicators that read whole candles are in `candle`. */
  push(candle: Candle, value: number): void;
  readonly ready: boolean;
  /** Writes its values in the order of the fields of its kind. */
  write(cells: Float64Array, at: number): void;
  state(): IndicatorState;
}

type Params = readonly number[];

interface Kind {
  readonly fields: readonly string[];
  /** Names of its parameters: whole numbers, except for a factor. */
  readonly params: readonly string[];
  /** Where a chart draws it: over the candles, or in its own pane. */
  readonly pane: 'price' | 'own';
  /** It reads one number, and may read another source than the close. */
  readonly line: boolean;
  /** Candles until it has values. */
  need(params: Params): number;
  /** Candles after which its seed has no influence. */
  settled(params: Params): number;
  create(params: Params, saved?: IndicatorState): Runner;
}

const DAY_MS = 86_400_000;
const first = (params: Params): number => params[0] ?? 1;
const most = (params: Params): number => Math.max(1, ...params);
const sum = (params: Params): number => params.reduce((all, each) => all + each, 0);
/** The seed of an exponential average weighs less than a millionth after this many lengths. */
const SEED_LENGTHS = 8;
const WILDER_LENGTHS = 15;

const lineRunner = (indicator: LineIndicator): Runner => ({
  push: (_candle, value) => indicator.push(value),
  get ready() {
    return indicator.ready;
  },
  write(cells, at) {
    cells[at] = indicator.value;
  },
  state: () => indicator.state(),
});

const barRunner = (indicator: BarIndicator): Runner => ({
  push: (candle) => indicator.push(candle),
  get ready() {
    return indicator.ready;
  },
  write(cells, at) {
    cells[at] = indicator.value;
  },
  state: () => indicator.state(),
});

/** An indicator with several values, fed with whole candles, or with its source. */
const manyRunner = <T extends Indicator>(
  indicator: T,
  push: (candle: Candle, value: number) => void,
  read: (indicator: T) => readonly number[],
): Runner => ({
  push,
  get ready() {
    return indicator.ready;
  },
  write(cells, at) {
    for (const [i, value] of read(indicator).entries()) cells[at + i] = value;
  },
  state: () => indicator.state(),
});

const ONE = { fields: ['value'], params: ['length'] } as const;
const onLine = (
  create: (length: number, saved?: IndicatorState) => LineIndicator,
  rest: Pick<Kind, 'pane' | 'need' | 'settled'>,
): Kind => ({ ...ONE, ...rest, line: true, create: (params, saved) => lineRunner(create(first(params), saved)) });
const onBar = (
  create: (length: number, saved?: IndicatorState) => BarIndicator,
  rest: Pick<Kind, 'pane' | 'need' | 'settled'>,
): Kind => ({ ...ONE, ...rest, line: false, create: (params, saved) => barRunner(create(first(params), saved)) });

const exact = (pane: Kind['pane'], extra = 0): Pick<Kind, 'pane' | 'need' | 'settled'> => ({
  pane,
  need: (params) => first(params) + extra,
  settled: (params) => first(params) + extra,
});
const seeded = (pane: Kind['pane'], lengths: number): Pick<Kind, 'pane' | 'need' | 'settled'> => ({
  pane,
  need: (params) => first(params) + 1,
  settled: (params) => lengths * (first(params) + 1),
});

const edge = (side: 'low' | 'high'): Kind => ({
  ...{ ...ONE, ...exact('price'), line: true },
  create(params, saved) {
    const range = createWindowRange(first(params), saved);
    return manyRunner(
      range,
      (_candle, value) => range.push(value, value),
      (each) => [each[side]],
    );
  },
});

const AVERAGES: Readonly<Record<string, Kind>> = {
  sma: onLine(createSma, exact('price')),
  ema: onLine(createEma, seeded('price', SEED_LENGTHS)),
  wma: onLine(createWma, exact('price')),
  hma: onLine(createHma, {
    pane: 'price',
    need: (params) => first(params) + Math.floor(Math.sqrt(first(params))),
    settled: (params) => first(params) + Math.floor(Math.sqrt(first(params))),
  }),
  wilder: onLine(createWilder, seeded('price', WILDER_LENGTHS)),
  vwma: {
    ...{ ...ONE, ...exact('price'), line: false },
    create(params, saved) {
      const vwma = createVwma(first(params), saved);
      return manyRunner(
        vwma,
        ({ close, volume }) => vwma.push(close, volume),
        (each) => [each.value],
      );
    },
  },
  vwap: {
    ...{ fields: ['value'], params: [], pane: 'price', line: false },
    need: () => 1,
    settled: () => 1440,
    create(_params, saved) {
      const vwap = createVwap(DAY_MS, saved);
      return manyRunner(
        vwap,
        (candle) => vwap.push(candle),
        (each) => [each.value],
      );
    },
  },
};

const OSCILLATORS: Readonly<Record<string, Kind>> = {
  rsi: onLine(createRsi, seeded('own', WILDER_LENGTHS)),
  mom: onLine(createMomentum, exact('own', 1)),
  'z-score': onLine(createZScore, exact('own')),
  deviation: {
    ...{ ...ONE, ...exact('own'), line: true },
    create(params, saved) {
      const window = createWindowDeviation(first(params), saved);
      return manyRunner(
        window,
        (_candle, value) => window.push(value),
        (each) => [each.deviation()],
      );
    },
  },
  cci: onBar(createCci, exact('own')),
  mfi: onBar(createMfi, exact('own', 1)),
  'williams-r': onBar(createWilliamsR, exact('own')),
  atr: onBar(createAtr, seeded('own', WILDER_LENGTHS)),
  obv: {
    ...{ fields: ['value'], params: [], pane: 'own', line: false },
    need: () => 1,
    settled: () => 1,
    create: (_params, saved) => barRunner(createObv(saved)),
  },
  awesome: {
    ...{ fields: ['value'], params: ['fast', 'slow'], pane: 'own', line: false, need: most, settled: most },
    create: ([fast = 5, slow = 34], saved) => barRunner(createAwesome({ fast, slow }, saved)),
  },
  ultimate: {
    ...{ fields: ['value'], params: ['short', 'middle', 'long'], pane: 'own', line: false },
    need: (params) => most(params) + 1,
    settled: (params) => most(params) + 1,
    create: ([short = 7, middle = 14, long = 28], saved) => barRunner(createUltimate({ short, middle, long }, saved)),
  },
  macd: {
    ...{ fields: ['value', 'signal', 'histogram'], params: ['fast', 'slow', 'signal'], pane: 'own', line: false },
    need: ([_fast, slow = 26, signal = 9]) => slow + signal,
    settled: ([_fast, slow = 26, signal = 9]) => SEED_LENGTHS * (slow + signal),
    create([fast = 12, slow = 26, signal = 9], saved) {
      const macd = createMacd({ fast, slow, signal }, saved);
      return manyRunner(
        macd,
        ({ close }) => macd.push(close),
        (each) => [each.value, each.signal, each.histogram],
      );
    },
  },
  stochastic: {
    ...{ fields: ['k', 'd'], params: ['length', 'smooth', 'signal'], pane: 'own', line: false },
    need: sum,
    settled: sum,
    create([length = 14, smooth = 3, signal = 3], saved) {
      const stochastic = createStochastic({ length, smooth, signal }, saved);
      return manyRunner(
        stochastic,
        (candle) => stochastic.push(candle),
        (each) => [each.k, each.d],
      );
    },
  },
  'stochastic-rsi': {
    ...{ fields: ['k', 'd'], params: ['rsi', 'length', 'smooth', 'signal'], pane: 'own', line: false },
    need: sum,
    settled: (params) => WILDER_LENGTHS * first(params) + sum(params),
    create([rsi = 14, length = 14, smooth = 3, signal = 3], saved) {
      const lines = createStochRsi({ rsi, length, smooth, signal }, saved);
      return manyRunner(
        lines,
        ({ close }) => lines.push(close),
        (each) => [each.k, each.d],
      );
    },
  },
  adx: {
    ...{ fields: ['value', 'plus', 'minus'], params: ['length'], pane: 'own', line: false },
    need: (params) => 2 * first(params),
    settled: (params) => 22 * first(params),
    create(params, saved) {
      const adx = createAdx(first(params), saved);
      return manyRunner(
        adx,
        (candle) => adx.push(candle),
        (each) => [each.value, each.plus, each.minus],
      );
    },
  },
  'elder-power': {
    ...{ fields: ['bull', 'bear'], params: ['length'], ...seeded('own', SEED_LENGTHS), line: false },
    create(params, saved) {
      const power = createElderPower(first(params), saved);
      return manyRunner(
        power,
        (candle) => power.push(candle),
        (each) => [each.bull, each.bear],
      );
    },
  },
  'technical-rating': {
    ...{ fields: ['score'], params: [], pane: 'own', line: false },
    need: () => 200,
    settled: () => 900,
    create(_params, saved) {
      const rating = createTechnicalRating(saved);
      return manyRunner(
        rating,
        (candle) => rating.push(candle),
        (each) => [each.score],
      );
    },
  },
};

const CHANNELS: Readonly<Record<string, Kind>> = {
  lowest: edge('low'),
  highest: edge('high'),
  bollinger: {
    ...{ fields: ['middle', 'upper', 'lower', 'width'], params: ['length', 'factor'], ...exact('price'), line: false },
    create([length = 20, deviations = 2], saved) {
      const bands = createBollinger({ length, deviations }, saved);
      return manyRunner(
        bands,
        ({ close }) => bands.push(close),
        ({ middle, upper, lower }) => [...[middle, upper, lower], (upper - lower) / middle],
      );
    },
  },
  keltner: {
    ...{ fields: ['middle', 'upper', 'lower'], params: ['length', 'atr length', 'factor'], pane: 'price', line: false },
    need: ([length = 20, atrLength = 10]) => Math.max(length, atrLength + 1),
    settled: ([length = 20, atrLength = 10]) => Math.max(SEED_LENGTHS * length, WILDER_LENGTHS * atrLength),
    create([length = 20, atrLength = 10, multiplier = 2], saved) {
      const channel = createKeltner({ length, atrLength, multiplier }, saved);
      return manyRunner(
        channel,
        (candle) => channel.push(candle),
        (each) => [each.middle, each.upper, each.lower],
      );
    },
  },
  donchian: {
    ...{ fields: ['middle', 'upper', 'lower'], params: ['length'], ...exact('price'), line: false },
    create(params, saved) {
      const channel = createDonchian(first(params), saved);
      return manyRunner(
        channel,
        (candle) => channel.push(candle),
        (each) => [each.middle, each.upper, each.lower],
      );
    },
  },
  supertrend: {
    ...{
      fields: ['value', 'direction'],
      params: ['length', 'factor'],
      ...seeded('price', WILDER_LENGTHS),
      line: false,
    },
    create([length = 10, multiplier = 3], saved) {
      const trend = createSupertrend({ length, multiplier }, saved);
      return manyRunner(
        trend,
        (candle) => trend.push(candle),
        (each) => [each.value, each.direction],
      );
    },
  },
  ichimoku: {
    fields: ['conversion', 'base', 'leadA', 'leadB', 'cloudA', 'cloudB'],
    ...{ params: ['conversion', 'base', 'lead'], pane: 'price', line: false },
    need: (params) => most(params) + 26,
    settled: (params) => most(params) + 26,
    create([conversion = 9, base = 26, lead = 52], saved) {
      const cloud = createIchimoku({ conversion, base, lead, displacement: 26 }, saved);
      const read = (each: typeof cloud) => [
        ...[each.conversion, each.base, each.leadA, each.leadB],
        ...[each.cloudA, each.cloudB],
      ];
      return manyRunner(cloud, (candle) => cloud.push(candle), read);
    },
  },
};

/** Every indicator that a strategy file can declare, by the name in its declaration. */
export const KINDS: Readonly<Record<string, Kind>> = { ...AVERAGES, ...OSCILLATORS, ...CHANNELS };
