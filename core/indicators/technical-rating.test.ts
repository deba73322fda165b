import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAdx } from './adx.ts';
import { createAwesome } from './awesome.ts';
import { createCci } from './cci.ts';
import { createElderPower } from './elder-power.ts';
import { createEma } from './ema.ts';
import { createIchimoku } from './ichimoku.ts';
import type { Bar } from './indicator.ts';
import { createMacd } from './macd.ts';
import { createMomentum } from './momentum.ts';
import { RATING_LABELS, ratingLabel, ratingRank } from './rating-label.ts';
import { createRsi } from './rsi.ts';
import { createStochRsi } from './stoch-rsi.ts';
import { createStochastic } from './stochastic.ts';
import { createTechnicalRating } from './technical-rating.ts';
import { createUltimate } from './ultimate.ts';
import { createWilliamsR } from './williams-r.ts';

/** Candles of a wandering price with long swings, the same in every run. */
function* wander(count: number): Generator<Bar> {
  let seed = 20_240_805;
  const random = (): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed / 2_147_483_648;
  };
  let close = 100;
  for (let i = 0; i < count; i += 1) {
    const open = close;
    close = Math.max(1, close * (1 + (random() - 0.5) * 0.03 + Math.sin(i / 60) * 0.004));
    const high = Math.max(open, close) * (1 + random() * 0.01);
    yield { high, low: Math.min(open, close) * (1 - random() * 0.01), close, volume: random() * 100 };
  }
}

const sum = (votes: Readonly<Record<string, number>>): number =>
  Object.values(votes).reduce((total, vote) => total + vote, 0);

test('the labels begin where they should', () => {
  const table = [
    [1, 'strong-buy'],
    [0.5 + 1e-12, 'strong-buy'],
    [0.5, 'buy'],
    [0.1 + 1e-12, 'buy'],
    [0.1, 'neutral'],
    [0, 'neutral'],
    [-0.1, 'neutral'],
    [-0.1 - 1e-12, 'sell'],
    [-0.5, 'sell'],
    [-0.5 - 1e-12, 'strong-sell'],
    [-1, 'strong-sell'],
  ] as const;
  for (const [score, label] of table) assert.equal(ratingLabel(score), label, String(score));
  assert.deepEqual(RATING_LABELS.map(ratingRank), [0, 1, 2, 3, 4]);
});

test('the score is the mean of the mean votes, and a bound is hit exactly', () => {
  const rating = createTechnicalRating();
  const labels = new Set<string>();
  let candles = 0;
  for (const bar of wander(3000)) {
    rating.push(bar);
    candles += 1;
    assert.equal(rating.ready, candles >= 200);
    if (!rating.ready) {
      assert.deepEqual([rating.score, rating.label], [Number.NaN, undefined]);
      continue;
    }
    const { averages, oscillators } = rating.votes();
    assert.deepEqual([Object.keys(averages).length, Object.keys(oscillators).length], [15, 11]);
    const [points, whole] = [11 * sum(averages) + 15 * sum(oscillators), 330];
    assert.ok(Math.abs(rating.score - (sum(averages) / 15 + sum(oscillators) / 11) / 2) < 1e-15);
    const expected = RATING_LABELS.filter((_, i) => points >= (([-330, -165, -33, 34, 166] as const)[i] ?? whole)).at(
      -1,
    );
    assert.equal(rating.label, expected, `${points} of ${whole}`);
    labels.add(rating.label ?? '');
  }
  assert.equal(labels.size, 5);
});

/** All that the votes read, of every candle so far, the newest last. */
function recorder(): { push(bar: Bar): void; at(name: string, back?: number): number } {
  const ichimoku = createIchimoku({ conversion: 9, base: 26, lead: 52, displacement: 26 });
  const rsi = createRsi(14);
  const stochastic = createStochastic({ length: 14, smooth: 3, signal: 3 });
  const cci = createCci(20);
  const adx = createAdx(14);
  const ao = createAwesome({ fast: 5, slow: 34 });
  const mom = createMomentum(10);
  const macd = createMacd({ fast: 12, slow: 26, signal: 9 });
  const fast = createStochRsi({ rsi: 14, length: 14, smooth: 3, signal: 3 });
  const wr = createWilliamsR(14);
  const power = createElderPower(13);
  const uo = createUltimate({ short: 7, middle: 14, long: 28 });
  const trend = createEma(50);
  const history: Record<string, number>[] = [];
  return {
    push(bar) {
      for (const item of [ichimoku, stochastic, cci, adx, ao, wr, power, uo]) item.push(bar);
      for (const item of [rsi, mom, macd, fast, trend]) item.push(bar.close);
      history.push({
        close: bar.close,
        trend: bar.close - trend.value,
        ...{ lead1: ichimoku.leadA, lead2: ichimoku.leadB, base: ichimoku.base, conversion: ichimoku.conversion },
        ...{ rsi: rsi.value, k: stochastic.k, d: stochastic.d, cci: cci.value, mom: mom.value, ao: ao.value },
        ...{ adx: adx.value, plus: adx.plus, minus: adx.minus, macd: macd.value, signal: macd.signal },
        ...{ fastK: fast.k, fastD: fast.d, wr: wr.value, bull: power.bull, bear: power.bear, uo: uo.value },
      });
    },
    at: (name, back = 0) => history.at(-1 - back)?.[name] ?? Number.NaN,
  };
}

const vote = (buy: boolean, sell: boolean): number => Number(buy) - Number(sell);

/** The published rules once more, over the whole history. */
function rules(at: (name: string, back?: number) => number): Record<string, number> {
  const rises = (name: string): boolean => at(name) > at(name, 1);
  const falls = (name: string): boolean => at(name) < at(name, 1);
  const crossesUp = (a: string, b: string): boolean => at(a) > at(b) && at(a, 1) < at(b, 1);
  const crossesDown = (a: string, b: string): boolean => at(a) < at(b) && at(a, 1) > at(b, 1);
  const low = (k: string, d: string): boolean => at(k) < 20 && at(d) < 20 && crossesUp(k, d);
  const high = (k: string, d: string): boolean => at(k) > 80 && at(d) > 80 && crossesDown(k, d);
  const [up, down] = [at('trend') > 0, at('trend') < 0];
  const saucer = (sign: number): boolean =>
    sign * at('ao') > 0 &&
    sign * at('ao', 1) > 0 &&
    sign * at('ao') > sign * at('ao', 1) &&
    sign * at('ao', 2) > sign * at('ao', 1);
  const crossesZero = (sign: number): boolean => sign * at('ao') > 0 && sign * at('ao', 1) <= 0;
  return {
    rsi14: vote(at('rsi') < 30 && rises('rsi'), at('rsi') > 70 && falls('rsi')),
    stochastic14: vote(low('k', 'd'), high('k', 'd')),
    cci20: vote(at('cci') < -100 && rises('cci'), at('cci') > 100 && falls('cci')),
    adx14: vote(at('adx') > 20 && crossesUp('plus', 'minus'), at('adx') > 20 && crossesDown('plus', 'minus')),
    awesome: vote(crossesZero(1) || saucer(1), crossesZero(-1) || saucer(-1)),
    momentum10: vote(rises('mom'), falls('mom')),
    macd: vote(at('macd') > at('signal'), at('macd') < at('signal')),
    stochRsi14: vote(down && low('fastK', 'fastD'), up && high('fastK', 'fastD')),
    williamsR14: vote(at('wr') < -80 && rises('wr'), at('wr') > -20 && falls('wr')),
    elderPower13: vote(up && at('bear') < 0 && rises('bear'), down && at('bull') > 0 && falls('bull')),
    ultimate: vote(at('uo') > 70, at('uo') < 30),
  };
}

const ichimokuRule = (at: (name: string, back?: number) => number): number =>
  vote(
    at('lead1') > at('lead2') &&
      at('lead1') < at('close') &&
      at('close') < at('base') &&
      at('close', 1) < at('conversion') &&
      at('conversion') < at('close'),
    at('lead2') > at('lead1') &&
      at('lead2') > at('close') &&
      at('close') > at('base') &&
      at('close', 1) > at('conversion') &&
      at('conversion') > at('close'),
  );

test('every oscillator votes by its rule, and each of them votes both ways', () => {
  const rating = createTechnicalRating();
  const { push, at } = recorder();
  const cast = new Set<string>();
  for (const bar of wander(8_000)) {
    rating.push(bar);
    push(bar);
    if (!rating.ready) continue;
    const { averages, oscillators } = rating.votes();
    const expected = rules(at);
    assert.deepEqual({ ...oscillators }, expected);
    assert.equal(averages['ichimoku'], ichimokuRule(at));
    for (const [name, value] of Object.entries({ ...expected, ichimoku: ichimokuRule(at) }))
      cast.add(`${name} ${value}`);
  }
  const missing = Object.keys({ ...rules(at), ichimoku: 0 }).flatMap((name) =>
    [1, -1].map((value) => `${name} ${value}`).filter((text) => !cast.has(text)),
  );
  assert.deepEqual(missing, []);
});

test('an average below the price buys, above it sells, at it does neither', () => {
  const flat = { high: 100, low: 100, close: 100, volume: 1 };
  const rating = createTechnicalRating();
  for (let i = 0; i < 250; i += 1) rating.push(flat);
  assert.deepEqual([rating.score, rating.label], [0, 'neutral']);
  rating.push({ high: 101, low: 100, close: 101, volume: 1 });
  const { averages } = rating.votes();
  const { ichimoku, hma9, ...others } = averages;
  assert.deepEqual(new Set(Object.values(others)), new Set([1]));
  // WMA(3) of 2 * WMA(4) - WMA(9): (100 + 100 + 3 * (2 * 100.4 - 100.2)) / 6 -> 100.3, still below the close.
  assert.deepEqual([ichimoku, hma9], [0, 1]);
});

test('a price that stands still after moving is at its averages, whatever the sums were rounded to', () => {
  const rating = createTechnicalRating();
  for (const bar of wander(300)) rating.push(bar);
  for (let i = 0; i < 1500; i += 1) rating.push({ high: 0.1, low: 0.1, close: 0.1, volume: 0 });
  const { ema100, ema200, ...others } = rating.votes().averages;
  assert.deepEqual(new Set(Object.values(others)), new Set([0]));
  // Of the fall from 100 to 0.1 these two have not forgotten the last part in 10^12 yet.
  assert.deepEqual([ema100, ema200], [-1, -1]);
});
