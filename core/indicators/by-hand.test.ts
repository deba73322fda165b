import assert from 'node:assert/strict';
import { test } from 'node:test';
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
import type { Bar } from './indicator.ts';
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
import { createUltimate } from './ultimate.ts';
import { createVwap } from './vwap.ts';
import { createVwma } from './vwma.ts';
import { createWilliamsR } from './williams-r.ts';
import { createWma } from './wma.ts';
import { createZScore } from './z-score.ts';

const bar = (high: number, low: number, close: number, volume = 1): Bar => ({ high, low, close, volume });
/** A candle that traded at one price. */
const still = (close: number, volume = 1): Bar => bar(close, close, close, volume);

/** The values after each push, those that are not there yet left out. */
function follow<T, R>(push: (item: T) => void, read: () => R, items: readonly T[]): R[] {
  const seen = items.map((item) => {
    push(item);
    return read();
  });
  return seen.filter((value) => !(typeof value === 'number' && Number.isNaN(value)));
}

function near(actual: readonly number[], expected: readonly number[]): void {
  assert.equal(actual.length, expected.length, `${actual.join(' ')} for ${expected.join(' ')}`);
  for (const [i, value] of actual.entries())
    assert.ok(Math.abs(value - (expected[i] ?? Number.NaN)) < 1e-12, `${value} is not ${expected[i]} at ${i}`);
}

const CLOSES = [100, 99, 98, 97, 96, 95, 97, 100, 103, 104, 105, 103, 100];

test('EMA: the seed is a mean, then each value moves by k of the distance', () => {
  const fast = createEma(3);
  const fastValues = [99, 98, 97, 96, 96.5, 98.25, 100.625, 102.3125, 103.65625, 103.328125, 13013 / 128];
  assert.deepEqual(
    follow(fast.push, () => fast.value, CLOSES),
    fastValues,
  );
  const slow = createEma(5);
  const slowValues = [98, 97, 97, 98, 299 / 3, 910 / 9, 2765 / 27, 8311 / 81, 24722 / 243];
  near(
    follow(slow.push, () => slow.value, CLOSES),
    slowValues,
  );
});

test('the seed of the EMA is the first value of the SMA, to the bit', () => {
  const prices = [0.1, 0.7, 1 / 3, 12_345.678, 1e-9, 99.99, 0.2];
  const [ema, sma] = [createEma(7), createSma(7)];
  for (const price of prices) for (const line of [ema, sma]) line.push(price);
  assert.equal(ema.value, sma.value);
  assert.equal(ema.value, (0.1 + 0.7 + 1 / 3 + 12_345.678 + 1e-9 + 99.99 + 0.2) / 7);
});

test('averages', () => {
  const wma = createWma(3);
  near(
    follow(wma.push, () => wma.value, [1, 2, 6]),
    [(1 * 1 + 2 * 2 + 3 * 6) / 6],
  );
  const hma = createHma(4);
  // 2 * WMA(2) - WMA(4) is 22/3 - 3, one more with each step; their WMA(2) is the line itself.
  near(
    follow(hma.push, () => hma.value, [1, 2, 3, 4, 5, 6]),
    [5, 6],
  );
  const vwma = createVwma(2);
  vwma.push(10, 1);
  vwma.push(20, 3);
  assert.equal(vwma.value, (10 + 60) / 4);
});

test('VWAP begins anew with the session', () => {
  const day = 86_400_000;
  const vwap = createVwap(day);
  const at = (openMs: number, price: number, volume: number) => ({ openMs, ...still(price, volume) });
  const candles = [at(5 * day, 10, 1), at(6 * day - 1, 13, 2), at(6 * day, 20, 0), at(6 * day + 1, 22, 4)];
  assert.deepEqual(
    follow(vwap.push, () => vwap.value, candles),
    [10, 36 / 3, 20, 22],
  );
});

test('RSI: Wilder averages of rises and falls', () => {
  const rsi = createRsi(2);
  // Averages of rises 1, .5, 1.75 and of falls .5, .25, .125.
  near(
    follow(rsi.push, () => rsi.value, [10, 12, 11, 11, 14]),
    [200 / 3, 200 / 3, 100 - 100 / 15],
  );
  for (const [prices, value] of [
    [[1, 2, 3], 100],
    [[3, 2, 1], 0],
    [[2, 2, 2], 50],
  ] as const) {
    const line = createRsi(2);
    assert.deepEqual(
      follow(line.push, () => line.value, prices),
      [value],
    );
  }
});

test('MACD: each average with its own seed', () => {
  const macd = createMacd({ fast: 1, slow: 2, signal: 2 });
  // EMA(2): 6, 22/3, 34/9; the signal's seed is the mean of 2 and 2/3.
  near(
    follow(macd.push, () => macd.value, [4, 8, 8, 2]),
    [2, 2 / 3, -16 / 9],
  );
  near([macd.signal, macd.histogram], [-20 / 27, -28 / 27]);
});

test('ATR: the first true range belongs to the second candle', () => {
  const atr = createAtr(2);
  // True ranges 2, 5 (a gap up) and 5.5 (a fall through the close before).
  const candles = [bar(10, 8, 9), bar(11, 9, 10), bar(15, 14, 14.5), bar(14, 9, 10)];
  near(
    follow(atr.push, () => atr.value, candles),
    [3.5, 4.5],
  );
});

test('ADX: movement against range', () => {
  const adx = createAdx(2);
  // True ranges 3, 3, 5; rises 2, 1, 0; falls 0, 0, 3. DX is 100 after the third candle, 100 / 3 after the fourth.
  const candles = [bar(10, 8, 9), bar(12, 9, 11), bar(13, 10, 12), bar(12, 7, 8)];
  near(
    follow(adx.push, () => adx.plus, candles),
    [50, 18.75],
  );
  near([adx.minus, adx.value], [37.5, (100 + 100 / 3) / 2]);
});

test('oscillators of ranges', () => {
  const candles = [bar(10, 8, 9), bar(12, 9, 11), bar(12, 10, 10)];
  const stochastic = createStochastic({ length: 2, smooth: 1, signal: 2 });
  near(
    follow(stochastic.push, () => stochastic.k, candles),
    [75, 100 / 3],
  );
  near([stochastic.d], [(75 + 100 / 3) / 2]);
  const williams = createWilliamsR(2);
  near(
    follow(williams.push, () => williams.value, candles),
    [-25, -200 / 3],
  );
  const ultimate = createUltimate({ short: 1, middle: 2, long: 3 });
  // Pressure 2, 0, 4 of ranges 3, 1, 5.
  const four = [still(10), bar(12, 9, 11), bar(11, 10, 10), bar(15, 11, 14)];
  near(
    follow(ultimate.push, () => ultimate.value, four),
    [(100 * (4 * (4 / 5) + 2 * (4 / 6) + 6 / 9)) / 7],
  );
});

test('oscillators of distance', () => {
  const cci = createCci(3);
  // Mean 3, mean absolute deviation (2 + 1 + 3) / 3.
  near(
    follow(cci.push, () => cci.value, [still(1), still(2), still(6)]),
    [3 / (0.015 * 2)],
  );
  const awesome = createAwesome({ fast: 1, slow: 2 });
  near(
    follow(awesome.push, () => awesome.value, [bar(3, 1, 2), bar(6, 2, 3)]),
    [4 - 3],
  );
  const momentum = createMomentum(2);
  near(
    follow(momentum.push, () => momentum.value, [1, 2, 4, 1]),
    [3, -1],
  );
  const score = createZScore(3);
  near(
    follow(score.push, () => score.value, [1, 2, 3]),
    [1 / Math.sqrt(2 / 3)],
  );
  const power = createElderPower(2);
  for (const candle of [still(4), bar(9, 5, 8)]) power.push(candle);
  assert.deepEqual([power.bull, power.bear], [9 - 6, 5 - 6]);
});

test('oscillators of volume', () => {
  const obv = createObv();
  const candles = [still(5, 10), still(6, 20), still(6, 30), still(4, 40)];
  assert.deepEqual(
    follow(obv.push, () => obv.value, candles),
    [0, 20, 20, -20],
  );
  const mfi = createMfi(2);
  // Flows +24, -44, then one at the same price that counts for neither side.
  const flows = [still(10), still(12, 2), still(11, 4), still(11, 9)];
  near(
    follow(mfi.push, () => mfi.value, flows),
    [2400 / 68, 0],
  );
});

test('channels', () => {
  const bands = createBollinger({ length: 3, deviations: 2 });
  for (const value of [1, 2, 3]) bands.push(value);
  near([bands.lower, bands.middle, bands.upper], [2 - 2 * Math.sqrt(2 / 3), 2, 2 + 2 * Math.sqrt(2 / 3)]);
  const keltner = createKeltner({ length: 2, atrLength: 1, multiplier: 2 });
  for (const candle of [still(10), bar(12, 8, 12)]) keltner.push(candle);
  assert.deepEqual([keltner.lower, keltner.middle, keltner.upper], [11 - 2 * 4, 11, 11 + 2 * 4]);
  const donchian = createDonchian(2);
  for (const candle of [bar(99, 1, 50), bar(12, 8, 9), bar(14, 10, 11)]) donchian.push(candle);
  assert.deepEqual([donchian.lower, donchian.middle, donchian.upper], [8, 11, 14]);
});

test('Supertrend: bands that only close in, until the close is through', () => {
  const trend = createSupertrend({ length: 1, multiplier: 1 });
  // Ranges 2, 4, 2, 4; bands 12/8, 17/9, 16/12, 15.5/7.5.
  const candles = [still(10), bar(11, 9, 10), bar(14, 12, 14), bar(15, 13, 14), bar(13, 10, 11)];
  const read = (): [number, number] => [trend.value, trend.direction];
  const waiting: [number, number] = [Number.NaN, 0];
  assert.deepEqual(follow(trend.push, read, candles), [waiting, [12, -1], [9, 1], [12, 1], [15.5, -1]]);
});

test('Ichimoku: the cloud at a candle is what an earlier one led to', () => {
  const cloud = createIchimoku({ conversion: 1, base: 2, lead: 3, displacement: 1 });
  const read = (): number[] => [cloud.conversion, cloud.base, cloud.leadA, cloud.leadB, cloud.cloudA, cloud.cloudB];
  const candles = [bar(4, 2, 3), bar(6, 4, 5), bar(9, 1, 2), bar(10, 8, 9)];
  const seen = follow(cloud.push, read, candles).slice(2);
  assert.deepEqual(seen, [
    [5, 5, 5, 5, Number.NaN, Number.NaN],
    [9, 5.5, 7.25, 5.5, 5, 5],
  ]);
});

test('a market that does not move is neutral everywhere', () => {
  const stochRsi = createStochRsi({ rsi: 3, length: 3, smooth: 2, signal: 2 });
  const stochastic = createStochastic({ length: 3, smooth: 2, signal: 2 });
  const adx = createAdx(3);
  const lines = {
    mfi: createMfi(3),
    williamsR: createWilliamsR(3),
    cci: createCci(3),
    ultimate: createUltimate({ short: 1, middle: 2, long: 3 }),
    atr: createAtr(3),
  };
  for (let i = 0; i < 12; i += 1) {
    for (const item of [stochastic, adx, ...Object.values(lines)]) item.push(still(0.1, 0));
    stochRsi.push(0.1);
  }
  assert.deepEqual([stochRsi.k, stochRsi.d, stochastic.k, stochastic.d], [50, 50, 50, 50]);
  assert.deepEqual([adx.plus, adx.minus, adx.value], [0, 0, 0]);
  const values = Object.fromEntries(Object.entries(lines).map(([name, line]) => [name, line.value]));
  assert.deepEqual(values, { mfi: 50, williamsR: -50, cci: 0, ultimate: 50, atr: 0 });
});
