import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createAdx } from './adx.ts';
import { createAtr } from './atr.ts';
import { createAwesome } from './awesome.ts';
import { createBollinger } from './bollinger.ts';
import { createCci } from './cci.ts';
import { createDonchian } from './donchian.ts';
import { createElderPower } from './elder-power.ts';
import { createEma } from './ema.ts';
import { createHma } from './hma.ts';
import { createIchimoku } from './ichimoku.ts';
import { type Indicator, type IndicatorState, isIndicatorState } from './indicator.ts';
import { createKeltner } from './keltner.ts';
import { createMacd } from './macd.ts';
import { createMfi } from './mfi.ts';
import { createMomentum } from './momentum.ts';
import { createObv } from './obv.ts';
import { createRsi } from './rsi.ts';
import { createSma } from './sma.ts';
import { createStochRsi } from './stoch-rsi.ts';
import { createStochastic } from './stochastic.ts';
import { createSupertrend } from './supertrend.ts';
import { createTechnicalRating } from './technical-rating.ts';
import { createUltimate } from './ultimate.ts';
import { createVwap } from './vwap.ts';
import { createVwma } from './vwma.ts';
import { createWilder } from './wilder.ts';
import { createWilliamsR } from './williams-r.ts';
import { createWindowDeviation } from './window-deviation.ts';
import { createWindowRange } from './window-range.ts';
import { createWindowSum } from './window-sum.ts';
import { createWma } from './wma.ts';
import { createZScore } from './z-score.ts';

interface TestBar {
  readonly openMs: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

/** An indicator as this test sees it: a candle in, all its numbers out. */
interface Subject {
  readonly indicator: Indicator;
  feed(bar: TestBar): void;
  read(): number[];
}
type Make = (saved?: IndicatorState) => Subject;

const line =
  (make: (saved?: IndicatorState) => Indicator & { push(value: number): void; readonly value: number }): Make =>
  (saved) => {
    const indicator = make(saved);
    return { indicator, feed: (bar) => indicator.push(bar.close), read: () => [indicator.value] };
  };

const bars =
  <T extends Indicator & { push(bar: TestBar): void }>(
    make: (saved?: IndicatorState) => T,
    read: (indicator: T) => number[],
  ): Make =>
  (saved) => {
    const indicator = make(saved);
    return { indicator, feed: (bar) => indicator.push(bar), read: () => read(indicator) };
  };

const closes =
  <T extends Indicator & { push(value: number): void }>(
    make: (saved?: IndicatorState) => T,
    read: (indicator: T) => number[],
  ): Make =>
  (saved) => {
    const indicator = make(saved);
    return { indicator, feed: (bar) => indicator.push(bar.close), read: () => read(indicator) };
  };

const value = (indicator: { readonly value: number }): number[] => [indicator.value];
const kd = (lines: { readonly k: number; readonly d: number }): number[] => [lines.k, lines.d];
const bands = (x: { readonly upper: number; readonly middle: number; readonly lower: number }): number[] => [
  x.upper,
  x.middle,
  x.lower,
];

/** Every indicator with the number of candles after which all of `read` is there. */
const EVERY: readonly (readonly [name: string, warmUp: number, make: Make])[] = [
  ['sma', 7, line((saved) => createSma(7, saved))],
  ['ema', 7, line((saved) => createEma(7, saved))],
  ['wilder', 7, line((saved) => createWilder(7, saved))],
  ['wma', 7, line((saved) => createWma(7, saved))],
  ['hma', 11, line((saved) => createHma(9, saved))],
  ['rsi', 8, line((saved) => createRsi(7, saved))],
  ['momentum', 8, line((saved) => createMomentum(7, saved))],
  ['z-score', 7, line((saved) => createZScore(7, saved))],
  [
    'window-sum',
    7,
    closes(
      (saved) => createWindowSum(7, saved),
      (x) => [x.sum()],
    ),
  ],
  [
    'window-deviation',
    7,
    closes(
      (saved) => createWindowDeviation(7, saved),
      (x) => [x.mean(), x.deviation()],
    ),
  ],
  [
    'macd',
    13,
    closes(
      (saved) => createMacd({ fast: 4, slow: 9, signal: 5 }, saved),
      (x) => [x.value, x.signal, x.histogram],
    ),
  ],
  [
    'bollinger',
    7,
    closes(
      (saved) => createBollinger({ length: 7, deviations: 2 }, saved),
      (x) => bands(x),
    ),
  ],
  [
    'stoch-rsi',
    16,
    closes(
      (saved) => createStochRsi({ rsi: 6, length: 7, smooth: 3, signal: 2 }, saved),
      (x) => kd(x),
    ),
  ],
  [
    'stochastic',
    10,
    bars(
      (saved) => createStochastic({ length: 7, smooth: 3, signal: 2 }, saved),
      (x) => kd(x),
    ),
  ],
  [
    'atr',
    8,
    bars(
      (saved) => createAtr(7, saved),
      (x) => value(x),
    ),
  ],
  [
    'adx',
    14,
    bars(
      (saved) => createAdx(7, saved),
      (x) => [x.plus, x.minus, x.value],
    ),
  ],
  [
    'cci',
    7,
    bars(
      (saved) => createCci(7, saved),
      (x) => value(x),
    ),
  ],
  [
    'obv',
    1,
    bars(
      (saved) => createObv(saved),
      (x) => value(x),
    ),
  ],
  [
    'mfi',
    8,
    bars(
      (saved) => createMfi(7, saved),
      (x) => value(x),
    ),
  ],
  [
    'williams-r',
    7,
    bars(
      (saved) => createWilliamsR(7, saved),
      (x) => value(x),
    ),
  ],
  [
    'awesome',
    11,
    bars(
      (saved) => createAwesome({ fast: 5, slow: 11 }, saved),
      (x) => value(x),
    ),
  ],
  [
    'ultimate',
    12,
    bars(
      (saved) => createUltimate({ short: 3, middle: 6, long: 11 }, saved),
      (x) => value(x),
    ),
  ],
  [
    'elder-power',
    7,
    bars(
      (saved) => createElderPower(7, saved),
      (x) => [x.bull, x.bear],
    ),
  ],
  [
    'donchian',
    7,
    bars(
      (saved) => createDonchian(7, saved),
      (x) => bands(x),
    ),
  ],
  [
    'keltner',
    8,
    bars(
      (saved) => createKeltner({ length: 7, atrLength: 7, multiplier: 2 }, saved),
      (x) => bands(x),
    ),
  ],
  [
    'supertrend',
    8,
    bars(
      (saved) => createSupertrend({ length: 7, multiplier: 2 }, saved),
      (x) => [x.value],
    ),
  ],
  [
    'vwap',
    1,
    bars(
      (saved) => createVwap(600_000, saved),
      (x) => value(x),
    ),
  ],
  [
    'ichimoku',
    11,
    bars(
      (saved) => createIchimoku({ conversion: 3, base: 6, lead: 11, displacement: 6 }, saved),
      (x) => [x.conversion, x.base, x.leadA, x.leadB],
    ),
  ],
  ['vwma', 7, vwma],
  ['window-range', 7, windowRange],
  [
    'technical-rating',
    200,
    bars(
      (saved) => createTechnicalRating(saved),
      (x) => [x.score],
    ),
  ],
];

function vwma(saved?: IndicatorState): Subject {
  const indicator = createVwma(7, saved);
  return { indicator, feed: (bar) => indicator.push(bar.close, bar.volume), read: () => value(indicator) };
}

function windowRange(saved?: IndicatorState): Subject {
  const indicator = createWindowRange(7, saved);
  return { indicator, feed: (bar) => indicator.push(bar.high, bar.low), read: () => [indicator.high, indicator.low] };
}

const step = fc.record({
  move: fc.oneof(fc.constant(0), fc.double({ min: -0.2, max: 0.2, noNaN: true })),
  up: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 0.1, noNaN: true })),
  down: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 0.1, noNaN: true })),
  volume: fc.oneof(fc.constant(0), fc.double({ min: 0.001, max: 1e7, noNaN: true })),
});

/** Minutes of a wandering price, with candles that do not move and candles without trades among them. */
const walk = (minLength: number): fc.Arbitrary<TestBar[]> =>
  fc.array(step, { minLength, maxLength: minLength + 60, size: 'max' }).map((steps) => {
    let close = 100;
    return steps.map(({ move, up, down, volume }, i) => {
      const open = close;
      close *= 1 + move;
      const [top, bottom] = [Math.max(open, close), Math.min(open, close)];
      return { openMs: i * 60_000, high: top * (1 + up), low: bottom * (1 - down), close, volume };
    });
  });

for (const [name, warmUp, make] of EVERY) {
  const runs = { numRuns: warmUp > 100 ? 15 : 60 };

  test(`${name} goes on from its saved state bit for bit`, () => {
    fc.assert(
      fc.property(walk(warmUp + 40), fc.double({ min: 0, max: 1, noNaN: true }), (list, share) => {
        const original = make();
        const cut = Math.floor(share * list.length);
        for (const bar of list.slice(0, cut)) original.feed(bar);
        const saved: unknown = JSON.parse(JSON.stringify(original.indicator.state()));
        assert.ok(isIndicatorState(saved));
        const restored = make(saved);
        for (const bar of [undefined, ...list.slice(cut)]) {
          if (bar !== undefined) for (const subject of [original, restored]) subject.feed(bar);
          assert.deepEqual(restored.read(), original.read());
          assert.equal(restored.indicator.ready, original.indicator.ready);
        }
        assert.deepEqual(restored.indicator.state(), original.indicator.state());
      }),
      runs,
    );
  });

  test(`${name} is ready after ${warmUp} candles and finite from then on`, () => {
    fc.assert(
      fc.property(walk(warmUp), (list) => {
        const subject = make();
        for (const [i, bar] of list.entries()) {
          assert.equal(subject.indicator.ready, i >= warmUp, `after ${i} candles`);
          subject.feed(bar);
          assert.equal(subject.read().every(Number.isFinite), i + 1 >= warmUp, `after ${i + 1} candles`);
        }
      }),
      runs,
    );
  });
}

test('the state of another indicator is refused with a sentence', () => {
  const ring = createSma(5).state();
  assert.throws(() => createSma(6, ring), /"values" is not a list of 6 numbers/);
  assert.throws(() => createEma(6, ring), /"value" is not a number/);
  assert.throws(() => createAtr(6, ring), /"average" is not a state/);
  assert.throws(() => createWindowRange(6, ring), /"low" is not a list of numbers/);
});

test('only plain JSON of finite numbers is a state', () => {
  for (const good of [{}, { count: 1, values: [1, 2], part: { value: 0 } }]) assert.ok(isIndicatorState(good));
  for (const bad of [null, 3, 'x', [1], { a: null }, { a: '1' }, { a: [null] }, { a: { b: Number.NaN } }])
    assert.ok(!isIndicatorState(bad), JSON.stringify(bad));
});
