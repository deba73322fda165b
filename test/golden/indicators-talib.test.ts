// Every indicator that TA-Lib has, or that its functions can be put together to, against TA-Lib's own C code. It has no
// counterpart for supertrend, the session's VWAP and the technical rating; by-hand and recorded tests cover them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as talib from 'talib-web';
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
import type { Bar } from '#core/indicators/indicator.ts';
import { createKeltner } from '#core/indicators/keltner.ts';
import { createMacd } from '#core/indicators/macd.ts';
import { createMfi } from '#core/indicators/mfi.ts';
import { createMomentum } from '#core/indicators/momentum.ts';
import { createObv } from '#core/indicators/obv.ts';
import { createRsi } from '#core/indicators/rsi.ts';
import { createSma } from '#core/indicators/sma.ts';
import { createStochRsi } from '#core/indicators/stoch-rsi.ts';
import { createStochastic } from '#core/indicators/stochastic.ts';
import { createUltimate } from '#core/indicators/ultimate.ts';
import { createVwma } from '#core/indicators/vwma.ts';
import { createWilliamsR } from '#core/indicators/williams-r.ts';
import { createWma } from '#core/indicators/wma.ts';
import { createZScore } from '#core/indicators/z-score.ts';
import { randomFrom } from '#core/research/random.ts';

const ROWS = 3_000;
const NEAR = 1e-9;

// Where there is a fetch it takes itself to be in a browser, and cannot read its own file.
const { fetch } = globalThis;
Reflect.set(globalThis, 'fetch', undefined);
await talib.init();
Reflect.set(globalThis, 'fetch', fetch);

/** A walk around 100, one candle in fifty without a move. */
function walk(): Bar[] {
  const random = randomFrom(77);
  let close = 100;
  return Array.from({ length: ROWS }, () => {
    const open = close;
    if (random() >= 0.02) close = Math.max(20, open + (random() - 0.5) * 2 + (100 - open) * 0.002);
    const [high, low] = [Math.max(open, close) + random() * 0.3, Math.min(open, close) - random() * 0.3];
    return { high, low, close, volume: 1 + Math.floor(random() * 1000) };
  });
}

const bars = walk();
const column = (of: (bar: Bar) => number): number[] => bars.map(of);
const high = column((bar) => bar.high);
const low = column((bar) => bar.low);
const close = column((bar) => bar.close);
const volume = column((bar) => bar.volume);
const candle = { high, low, close };

/** TA-Lib's answers begin with the first value; here each value has the index of its candle, after NaN. */
const at = (first: number, output: readonly number[]): number[] =>
  bars.map((_bar, row) => (row < first ? Number.NaN : (output[row - first] ?? Number.NaN)));
const each = (a: readonly number[], b: readonly number[], of: (a: number, b: number) => number): number[] =>
  a.map((value, row) => of(value, b[row] ?? Number.NaN));
/** The same with NaN in front of its input, which TA-Lib cannot take. */
const over = (inReal: readonly number[], first: number, of: (inReal: number[]) => readonly number[], more: number) =>
  at(first + more, of(inReal.slice(first)));

const sma = (n: number, inReal = close): number[] => at(n - 1, talib.SMA({ inReal, timePeriod: n }).output);
const wma = (n: number): number[] => at(n - 1, talib.WMA({ inReal: close, timePeriod: n }).output);
const ema = (n: number): number[] => at(n - 1, talib.EMA({ inReal: close, timePeriod: n }).output);
const atr = (n: number): number[] => at(n, talib.ATR({ ...candle, timePeriod: n }).output);
/** This build's deviations go wrong once a window has moved on by its own length: each window is requested alone. */
const perWindow = (n: number, of: (inReal: number[]) => readonly number[]): number[] =>
  close.map((_close, row) => (row < n - 1 ? Number.NaN : (of(close.slice(row - n + 1, row + 1))[0] ?? Number.NaN)));
const deviation = (n: number): number[] => perWindow(n, (inReal) => talib.STDDEV({ inReal, timePeriod: n }).output);
const middle = (n: number): number[] => at(n - 1, talib.MIDPRICE({ high, low, timePeriod: n }).output);
const sum = (n: number, inReal: number[]): number[] => at(n - 1, talib.SUM({ inReal, timePeriod: n }).output);
const macd = talib.MACD({ inReal: close, fastPeriod: 12, slowPeriod: 26, signalPeriod: 9 });
/** Its slow stochastic answers zeros; the smoothed line of the fast one is the same %K. */
const slowK = talib.STOCHF({ ...candle, fastK_Period: 14, fastD_Period: 3 }).fastD;
const stochRsi = talib.STOCHRSI({ inReal: close, timePeriod: 14, fastK_Period: 10, fastD_Period: 3 });
const bands = (inReal: number[]) => talib.BBANDS({ inReal, timePeriod: 20, nbDevUp: 2, nbDevDn: 2 });
const medians = talib.MEDPRICE({ high, low }).output;

interface Fed {
  push(bar: Bar): void;
  read(): readonly number[];
}
const ofCloses = <T extends { push(value: number): void }>(indicator: T, read: (indicator: T) => number[]): Fed => ({
  push: (bar) => indicator.push(bar.close),
  read: () => read(indicator),
});
const ofBars = <T extends { push(bar: Bar): void }>(indicator: T, read: (indicator: T) => number[]): Fed => ({
  push: (bar) => indicator.push(bar),
  read: () => read(indicator),
});
const value = (indicator: { readonly value: number }): number[] => [indicator.value];

interface Case {
  readonly ours: Fed;
  readonly theirs: readonly (readonly number[])[];
  /** The first candle compared, where the seeds differ and must fade; else the first with a value. */
  readonly from?: number;
  /** The first candle with a value of the first output. */
  readonly ready: number;
}

const ultimate = { timePeriod1: 7, timePeriod2: 14, timePeriod3: 28 };
const vwma = createVwma(20);
const CASES: Readonly<Record<string, Case>> = {
  sma: { ours: ofCloses(createSma(20), value), theirs: [sma(20)], ready: 19 },
  ema: { ours: ofCloses(createEma(20), value), theirs: [ema(20)], ready: 19 },
  wma: { ours: ofCloses(createWma(20), value), theirs: [wma(20)], ready: 19 },
  hma: {
    ours: ofCloses(createHma(16), value),
    theirs: [
      over(
        each(wma(8), wma(16), (half, whole) => 2 * half - whole),
        15,
        (inReal) => talib.WMA({ inReal, timePeriod: 4 }).output,
        3,
      ),
    ],
    ready: 18,
  },
  atr: { ours: ofBars(createAtr(14), value), theirs: [atr(14)], ready: 14 },
  rsi: {
    ours: ofCloses(createRsi(14), value),
    theirs: [at(14, talib.RSI({ inReal: close, timePeriod: 14 }).output)],
    ready: 14,
  },
  // Population deviations here and in the bands, as in TA-Lib.
  'z-score': {
    ours: ofCloses(createZScore(20), value),
    theirs: [
      each(
        each(close, sma(20), (a, b) => a - b),
        deviation(20),
        (away, one) => away / one,
      ),
    ],
    ready: 19,
  },
  bollinger: {
    ours: ofCloses(createBollinger({ length: 20, deviations: 2 }), (x) => [x.upper, x.middle, x.lower]),
    theirs: [
      perWindow(20, (inReal) => bands(inReal).upperBand),
      sma(20),
      perWindow(20, (inReal) => bands(inReal).lowerBand),
    ],
    ready: 19,
  },
  cci: {
    ours: ofBars(createCci(20), value),
    theirs: [at(19, talib.CCI({ ...candle, timePeriod: 20 }).output)],
    ready: 19,
  },
  donchian: {
    ours: ofBars(createDonchian(20), (x) => [x.upper, x.lower, x.middle]),
    theirs: [
      at(19, talib.MAX({ inReal: high, timePeriod: 20 }).output),
      at(19, talib.MIN({ inReal: low, timePeriod: 20 }).output),
      middle(20),
    ],
    ready: 19,
  },
  ichimoku: {
    ours: ofBars(createIchimoku({ conversion: 9, base: 26, lead: 52, displacement: 26 }), (x) => [
      x.conversion,
      x.base,
      x.leadA,
      x.leadB,
    ]),
    theirs: [middle(9), middle(26), each(middle(9), middle(26), (a, b) => (a + b) / 2), middle(52)],
    ready: 8,
  },
  'elder power': {
    ours: ofBars(createElderPower(13), (x) => [x.bull, x.bear]),
    theirs: [each(high, ema(13), (a, b) => a - b), each(low, ema(13), (a, b) => a - b)],
    ready: 12,
  },
  keltner: {
    ours: ofBars(createKeltner({ length: 20, atrLength: 10, multiplier: 2 }), (x) => [x.upper, x.middle, x.lower]),
    theirs: [each(ema(20), atr(10), (a, b) => a + 2 * b), ema(20), each(ema(20), atr(10), (a, b) => a - 2 * b)],
    ready: 19,
  },
  awesome: {
    ours: ofBars(createAwesome({ fast: 5, slow: 34 }), value),
    theirs: [each(sma(5, medians), sma(34, medians), (a, b) => a - b)],
    ready: 33,
  },
  momentum: {
    ours: ofCloses(createMomentum(10), value),
    theirs: [at(10, talib.MOM({ inReal: close, timePeriod: 10 }).output)],
    ready: 10,
  },
  mfi: {
    ours: ofBars(createMfi(14), value),
    theirs: [at(14, talib.MFI({ ...candle, volume, timePeriod: 14 }).output)],
    ready: 14,
  },
  vwma: {
    ours: { push: (bar) => vwma.push(bar.close, bar.volume), read: () => [vwma.value] },
    theirs: [
      each(
        sum(
          20,
          each(close, volume, (a, b) => a * b),
        ),
        sum(20, volume),
        (a, b) => a / b,
      ),
    ],
    ready: 19,
  },
  // TA-Lib begins with the first candle's volume instead of 0.
  obv: {
    ours: ofBars(createObv(), (x) => [x.value + (volume[0] ?? 0)]),
    theirs: [talib.OBV({ inReal: close, volume }).output],
    ready: 0,
  },
  stochastic: {
    ours: ofBars(createStochastic({ length: 14, smooth: 3, signal: 4 }), (x) => [x.k, x.d]),
    theirs: [at(15, slowK), over(at(15, slowK), 15, (inReal) => talib.SMA({ inReal, timePeriod: 4 }).output, 3)],
    ready: 15,
  },
  'stochastic rsi': {
    ours: ofCloses(createStochRsi({ rsi: 14, length: 10, smooth: 1, signal: 3 }), (x) => [x.k, x.d]),
    theirs: [at(25, stochRsi.fastK), at(25, stochRsi.fastD)],
    ready: 23,
  },
  'williams %r': {
    ours: ofBars(createWilliamsR(14), value),
    theirs: [at(13, talib.WILLR({ ...candle, timePeriod: 14 }).output)],
    ready: 13,
  },
  ultimate: {
    ours: ofBars(createUltimate({ short: 7, middle: 14, long: 28 }), value),
    theirs: [at(28, talib.ULTOSC({ ...candle, ...ultimate }).output)],
    ready: 28,
  },
  // The fast average begins later in TA-Lib: its seed has faded after ten times the slow length.
  macd: {
    ours: ofCloses(createMacd({ fast: 12, slow: 26, signal: 9 }), (x) => [x.value, x.signal, x.histogram]),
    theirs: [at(33, macd.MACD), at(33, macd.MACDSignal), at(33, macd.MACDHist)],
    from: 33 + 10 * 26,
    ready: 25,
  },
  // Wilder's sums begin otherwise in TA-Lib: they meet by 22 times the length.
  adx: {
    ours: ofBars(createAdx(14), (x) => [x.plus, x.minus, x.value]),
    theirs: [
      at(14, talib.PLUS_DI({ ...candle, timePeriod: 14 }).output),
      at(14, talib.MINUS_DI({ ...candle, timePeriod: 14 }).output),
      at(27, talib.ADX({ ...candle, timePeriod: 14 }).output),
    ],
    from: 22 * 14,
    ready: 14,
  },
};

for (const [name, { ours, theirs, from = 0, ready }] of Object.entries(CASES)) {
  test(`${name} equals TA-Lib within 1e-9`, () => {
    const compared = theirs.map(() => 0);
    let first = -1;
    for (const [row, bar] of bars.entries()) {
      ours.push(bar);
      const values = ours.read();
      if (first < 0 && !Number.isNaN(values[0] ?? Number.NaN)) first = row;
      for (const [nth, output] of theirs.entries()) {
        const [mine, wanted] = [values[nth] ?? Number.NaN, output[row] ?? Number.NaN];
        if (row < from || Number.isNaN(mine) || Number.isNaN(wanted)) continue;
        compared[nth] = (compared[nth] ?? 0) + 1;
        const away = Math.abs(mine - wanted);
        assert.ok(
          away <= NEAR * Math.max(1, Math.abs(wanted)),
          `output ${nth} of candle ${row}: ${mine}, TA-Lib ${wanted}`,
        );
      }
    }
    assert.equal(first, ready, 'the first candle with a value is the documented one');
    for (const count of compared) assert.ok(count >= ROWS - Math.max(from, 60), `only ${count} values compared`);
  });
}

test('where nothing moves the conventions differ on purpose: an undecided market is in the middle, not at an end', () => {
  const flat = Array.from({ length: 60 }, () => 100);
  const prices = { high: flat, low: flat, close: flat };
  const ours = { rsi: createRsi(14), mfi: createMfi(14), k: createStochastic({ length: 14, smooth: 1, signal: 1 }) };
  const williams = createWilliamsR(14);
  for (const price of flat) {
    const bar = { high: price, low: price, close: price, volume: 0 };
    ours.rsi.push(price);
    for (const each of [ours.mfi, ours.k, williams]) each.push(bar);
  }
  assert.deepEqual([ours.rsi.value, ours.mfi.value, ours.k.k, williams.value], [50, 50, 50, -50]);
  const [first] = talib.RSI({ inReal: flat, timePeriod: 14 }).output;
  const [flow] = talib.MFI({ ...prices, volume: flat.map(() => 0), timePeriod: 14 }).output;
  const [k] = talib.STOCHF({ ...prices, fastK_Period: 14, fastD_Period: 1 }).fastK;
  const [r] = talib.WILLR({ ...prices, timePeriod: 14 }).output;
  assert.deepEqual([first, flow, k, Math.abs(r ?? 1)], [0, 0, 0, 0]);
});
