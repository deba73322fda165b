import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomFrom } from '#core/research/random.ts';
import { luckOf } from './luck.ts';
import {
  deflatedSharpe,
  distinctSeries,
  expectedBest,
  minimumTrackRecord,
  type Moments,
  normalAt,
  normalBelow,
  overfitting,
} from './statistics.ts';

const near = (found: number | null, expected: number, within = 1e-6): void => {
  assert.ok(found !== null && Math.abs(found - expected) <= within, `${found} is not ${expected}`);
};
const noiseOf = (seed: number, days: number, gain = 0): number[] => {
  const random = randomFrom(seed);
  return Array.from({ length: days }, () => random() - 0.5 + gain);
};

test('the published example: SR0 0.1132 and a deflated Sharpe ratio of 0.9004', () => {
  // Bailey and Lopez de Prado, "The Deflated Sharpe Ratio" (2014): five years of 250 days, 100 trials whose yearly Sharpe
  // ratios have a variance of a half, a yearly ratio of 2.5, skewness -3, kurtosis 10.
  const expected = expectedBest(Math.sqrt(0.5 / 250), 100);
  assert.equal(expected.toFixed(4), '0.1132');
  const moments: Moments = { count: 1250, sharpe: 2.5 / Math.sqrt(250), skew: -3, kurtosis: 10 };
  assert.equal(deflatedSharpe(moments, expected)?.toFixed(4), '0.9004');
});

test('the minimum track record length is where the ratio is above zero with 95 % confidence', () => {
  const moments: Moments = { count: 1250, sharpe: 0.1, skew: -0.5, kurtosis: 5 };
  const days = minimumTrackRecord(moments);
  near(days, 1 + (1 + 0.05 + 0.01) * (normalAt(0.95) / 0.1) ** 2, 1e-9);
  near(deflatedSharpe({ ...moments, count: days ?? 0 }, 0), 0.95);
  assert.equal(minimumTrackRecord({ ...moments, sharpe: 0 }), Number.POSITIVE_INFINITY);
});

test('outside of the domain of the formula there is no number', () => {
  // Two values only: kurtosis = 1 + skew^2, and the variance is (1 - skew * SR / 2)^2 = 0.
  assert.equal(deflatedSharpe({ count: 1000, sharpe: 1, skew: 2, kurtosis: 5 }, 0), null);
  // One gain among n zeros: kurtosis about n.
  assert.equal(deflatedSharpe({ count: 1000, sharpe: 0.03, skew: 31.5, kurtosis: 997 }, 0), null);
});

for (const days of [40, 365, 3650]) {
  test(`one winning day of ${days} is not skill, whatever its number of trades`, () => {
    const returns = Array.from({ length: days }, (_, day) => (day === 7 ? 0.1 : 0));
    const found = luckOf({ best: { returns, trades: 100 }, tried: [returns], before: 0 });
    assert.deepEqual(found, { kind: 'irregular', trades: 100 });
  });
}

test('fewer than 30 trades, or fewer days than the ratio needs, are too few to tell', () => {
  const returns = noiseOf(1, 400, 0.1);
  const luck = (trades: number, ofBest = returns) =>
    luckOf({ best: { returns: ofBest, trades }, tried: [ofBest], before: 0 });
  assert.deepEqual(luck(29), { kind: 'few-trades', trades: 29, needed: 30 });
  assert.equal(luck(30).kind, 'measured');
  const weak = luck(300, noiseOf(1, 400, 0.03));
  assert.ok(weak.kind === 'short-record' && weak.needed !== null && weak.needed > 400, JSON.stringify(weak));
  const losing = luck(300, noiseOf(1, 400, -0.1));
  assert.ok(losing.kind === 'short-record' && losing.needed === null, JSON.stringify(losing));
});

test('more trials make luck likelier, equal ones do not, and the spread of the trials must be known', () => {
  const [returns, other] = [noiseOf(1, 400, 0.1), noiseOf(2, 400)];
  const chance = (tried: readonly (readonly number[])[], before = 0): number => {
    const found = luckOf({ best: { returns, trades: 50 }, tried, before });
    assert.ok(found.kind === 'measured', JSON.stringify(found));
    return found.chance;
  };
  const two = chance([returns, other]);
  assert.ok(chance([returns, other], 8) > two && two > chance([returns]));
  assert.equal(chance([returns, other, [...other], [...returns], other]), two);
  assert.deepEqual(luckOf({ best: { returns, trades: 50 }, tried: [returns, returns], before: 8 }), {
    kind: 'irregular',
    trades: 50,
  });
  assert.equal(
    distinctSeries([
      [0, 1],
      [1, 0],
      [0, 1],
    ]).length,
    2,
  );
});

test('two sets with Sharpe ratios apart, by hand', () => {
  // Of 400 days half have -0.3, half 0.4: mean 0.05, deviation 0.35, skewness 0, kurtosis 1. The other set loses as much.
  const best = Array.from({ length: 400 }, (_, day) => (day % 2 === 0 ? -0.3 : 0.4));
  const worst = best.map((value) => -value);
  const expected =
    (1 / 7) * (0.4227843350984671 * normalAt(0.9) + 0.5772156649015329 * normalAt(1 - 1 / (10 * Math.E)));
  const found = luckOf({ best: { returns: best, trades: 200 }, tried: [best, worst], before: 8 });
  assert.ok(found.kind === 'measured' && found.trials === 10);
  near(found.chance, 1 - normalBelow((1 / 7 - expected) * Math.sqrt(399)));
});

test('a Sharpe ratio from a part of the window counts as much as one from all of it', () => {
  // Sets without skill: those of the first ninth have three times the spread, which the root of a ninth takes away.
  const drawn = noiseOf(7, 900 * 301);
  const seriesAt = (i: number): number[] => drawn.slice(900 * i, 900 * (i + 1));
  const returns = seriesAt(300).map((value) => value + 0.04);
  const whole = Array.from({ length: 300 }, (_, i) => seriesAt(i));
  const ofAll = luckOf({ best: { returns, trades: 200 }, tried: [returns, ...whole], before: 0 });
  const parts = whole.map((one, i) => (i < 200 ? one.slice(0, 100) : i < 280 ? one.slice(0, 300) : one));
  const ofParts = luckOf({ best: { returns, trades: 200 }, tried: [returns, ...parts], before: 0 });
  assert.ok(ofAll.kind === 'measured' && ofParts.kind === 'measured');
  assert.equal(ofParts.trials, ofAll.trials);
  near(ofParts.chance, ofAll.chance, 0.05);
  // By the survivors alone.
  const inflated = luckOf({ best: { returns, trades: 200 }, tried: [returns, ...whole.slice(280)], before: 0 });
  assert.ok(inflated.kind === 'measured' && inflated.chance < ofParts.chance - 0.1);
});

/** Ten parts, each choice of five, Sharpe ratios from the days themselves: the definition without any shortcut. */
function overfittingByHand(sets: readonly (readonly number[])[]): number {
  const length = Math.floor((sets[0]?.length ?? 0) / 10);
  const sharpe = (returns: readonly number[], parts: readonly number[]): number => {
    const days = parts.flatMap((part) => returns.slice(part * length, (part + 1) * length));
    const mean = days.reduce((a, b) => a + b, 0) / days.length;
    return mean / Math.sqrt(days.reduce((sum, day) => sum + (day - mean) ** 2, 0) / days.length);
  };
  const places = Array.from({ length: 10 }, (_, i) => i);
  let [choices, failed] = [0, 0];
  for (let mask = 0; mask < 1024; mask++) {
    const past = places.filter((place) => mask & (1 << place));
    if (past.length !== 5) continue;
    const later = places.filter((place) => !past.includes(place));
    const [inPast, inLater] = [past, later].map((parts) => sets.map((one) => sharpe(one, parts)));
    const own = inLater?.[inPast?.indexOf(Math.max(...(inPast ?? []))) ?? -1] ?? 0;
    const below =
      (inLater ?? []).filter((one) => one < own).length + 0.5 * (inLater ?? []).filter((one) => one === own).length;
    choices += 1;
    failed += Number(below / sets.length <= 0.5);
  }
  assert.equal(choices, 252);
  return failed / choices;
}

test('overfitting: the definition to the digit; certain skill is 0, pure noise about a half', () => {
  for (let seed = 1; seed <= 5; seed++) {
    const noise = Array.from({ length: 12 }, (_, i) => noiseOf(100 * seed + i, 205));
    assert.equal(overfitting(noise), overfittingByHand(noise));
  }
  const noise = Array.from({ length: 40 }, (_, i) => noiseOf(i + 1, 200));
  near(overfitting(noise), 0.5, 0.35);
  const skilled = [...noise, Array.from(noiseOf(99, 200), (value) => value * 0.1 + 0.25)];
  assert.equal(overfitting(skilled), 0);
  assert.equal(overfitting([noise[0] ?? []]), null);
});

test('the published example: 100 sets of 1,000 days with the same mean over all days have a probability of 1', () => {
  // Test case 1 of Bailey et al. (2015): noise whose Sharpe ratio over the whole window is the same for each set.
  const sets = Array.from({ length: 100 }, (_, i) => {
    const days = noiseOf(7_000 + i, 1_000);
    const mean = days.reduce((sum, day) => sum + day, 0) / days.length;
    const deviation = Math.sqrt(days.reduce((sum, day) => sum + (day - mean) ** 2, 0) / days.length);
    return Array.from(days, (day) => (day - mean) / deviation);
  });
  assert.equal(overfitting(sets), 1);
});
