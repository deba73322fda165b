import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Candidate } from '#strategies/candidates.ts';
import {
  combinations,
  countSets,
  type Draw,
  type SweptSetting,
  parseSettings,
  withSettings,
} from '#strategies/swept-settings.ts';
import { type Evaluated, evaluatedOf } from './row.ts';
import { type Evaluate, rankTried, searchAll, searchByHalving, walkForward } from './search.ts';
import { normalAt, normalBelow } from './statistics.ts';

const near = (found: number | null, expected: number, within = 1e-6): void => {
  assert.ok(found !== null && Math.abs(found - expected) <= within, `${found} is not ${expected}`);
};
const CONFIG = { ema: { fast: 9, slow: 21 }, trail: '0.95', levels: [{ amount: '100' }], on: true };

test('settings: ranges and lists, exact decimals, whole numbers stay numbers', () => {
  const parsed = parseSettings('ema.fast=5..9:2; trail = 0.9..0.92:0.01;levels.0.amount=50,100;', CONFIG);
  assert.deepEqual(parsed, {
    kind: 'ok',
    value: [
      { path: 'ema.fast', values: [5, 7, 9] },
      { path: 'trail', values: ['0.9', '0.91', '0.92'] },
      { path: 'levels.0.amount', values: ['50', '100'] },
    ],
  });
  assert.ok(parsed.kind === 'ok');
  assert.deepEqual(withSettings(CONFIG, parsed.value, [7, '0.91', '50']), {
    ema: { fast: 7, slow: 21 },
    trail: '0.91',
    levels: [{ amount: '50' }],
    on: true,
  });
});

for (const [text, says] of [
  ['', 'No settings are given'],
  ['ema.fast', '"ema.fast" is not a setting with values'],
  ['ema.fast=9..5', '"ema.fast=9..5" is not a setting'],
  ['ema.fast=1..5:0', 'is not a setting'],
  ['ema.none=1,2', '"ema.none" is not a number of the config'],
  ['on=1,2', '"on" is not a number of the config'],
  ['ema.fast=1..5:1:1', 'is not a setting'],
  ['ema.fast=1..5..9', 'is not a setting'],
  ['trail=1;trail=2', '"trail" is swept twice.'],
] as const) {
  test(`refused settings: "${text}"`, () => {
    const parsed = parseSettings(text, CONFIG);
    assert.ok(parsed.kind === 'problem' && parsed.sentence.includes(says), JSON.stringify(parsed));
  });
}

const SETTINGS: readonly SweptSetting[] = [
  { path: 'a', values: [1, 2] },
  { path: 'b', values: [1, 2, 3] },
];

test('every combination, or different ones drawn repeatably', () => {
  const made = (count: number, draw?: Draw): (readonly [number, ...(string | number)[]])[] =>
    [...combinations(SETTINGS, { count, draw })].map(([set, values]) => [set, ...values]);
  assert.deepEqual(made(6), [
    [0, 1, 1],
    [1, 1, 2],
    [2, 1, 3],
    [3, 2, 1],
    [4, 2, 2],
    [5, 2, 3],
  ]);
  const draw = { count: 4, seed: 3 };
  const drawn = made(4, draw);
  assert.equal(new Set(drawn.map(([, ...values]) => String(values))).size, 4);
  assert.deepEqual(made(4, draw), drawn);
  const only = [...combinations(SETTINGS, { count: 4, draw, only: new Set([1, 3, -1]) })];
  assert.deepEqual(
    only.map(([set, values]) => [set, ...values]),
    [drawn[1], drawn[3]],
  );
});

test('sets are counted before they are made, and too many of them or of their values are refused with both numbers', () => {
  const many: SweptSetting[] = [1, 2, 3].map((n) => ({
    path: String(n),
    values: Array.from({ length: 100 }, (_, i) => i),
  }));
  const refused = countSets(many);
  assert.ok(refused.kind === 'problem' && /1000000 combinations, more than 100000/.test(refused.sentence));
  assert.deepEqual(countSets(many, { count: 10, seed: 1 }), { kind: 'ok', value: 10 });
  const values = parseSettings('ema.fast=1..6000;trail=0..1:0.0001', CONFIG);
  assert.ok(values.kind === 'problem' && /up to "trail" have 16001 values, more than 10000/.test(values.sentence));
  const endless = parseSettings('trail=0..1000000000000000:0.000000000000000001', CONFIG);
  assert.ok(endless.kind === 'problem' && /more than 10000/.test(endless.sentence));
});

test('the normal distribution', () => {
  near(normalBelow(1.959964), 0.975);
  near(normalBelow(-1), 0.158655, 1e-6);
  near(normalAt(0.975), 1.959964, 1e-5);
});

/** A set that gains its own value a day on the window, the second half of which turns the gains round. */
const evaluateFake: Evaluate = (configs, { start, end }) =>
  Promise.resolve(
    configs.map((config): Evaluated => {
      const gain = Number(config) / 1000;
      const days = Array.from({ length: end - start }, (_, i) => 100 * (1 + gain * (i + 1)) + (i % 2) / 100);
      return evaluatedOf({
        by: 'kernel',
        balance: 100,
        days,
        drawdown: 0.1,
        tally: { cycles: 1, wins: gain > 0 ? 1 : 0, net: gain, won: gain, lost: 0 },
        fills: 2,
        heldCandles: 1,
        candles: end - start,
      });
    }),
  );
const CANDIDATES: readonly Candidate[] = Array.from({ length: 9 }, (_, set) => ({ set, values: [set], config: set }));
const WINDOW = { start: 0, end: 90 };

test('sets without the value that they are ranked by are in the order of their returns', async () => {
  const tried = await searchAll(evaluateFake, CANDIDATES, { start: 0, end: 1 });
  const { rows } = rankTried(tried, { rank: 'sharpe', top: 3 });
  assert.deepEqual(
    rows.map(({ set, sharpe }) => [set, sharpe]),
    [
      [8, null],
      [7, null],
      [6, null],
    ],
  );
});

test('all sets, ranked; what is pruned counts as a trial', async () => {
  const tried = await searchAll(evaluateFake, CANDIDATES, WINDOW);
  const result = rankTried(tried, { rank: 'return', top: 2, before: 5 });
  assert.deepEqual(
    result.rows.map(({ set }) => set),
    [8, 7],
  );
  assert.deepEqual([result.evaluated, result.trials], [9, 14]);
  assert.equal(rankTried(tried.toReversed(), { rank: 'net', top: 1 }).fingerprint, result.fingerprint);
  const halved = await searchByHalving(evaluateFake, CANDIDATES, { window: WINDOW, rank: 'return' });
  assert.deepEqual(
    halved.tried.map(({ set }) => set),
    [8],
  );
  const ranked = rankTried(halved.tried, { rank: 'return', top: 2, before: 5, dropped: halved.dropped });
  assert.deepEqual([ranked.evaluated, ranked.trials, ranked.overfitting], [1, 14, null]);
});

test('walk-forward counts only what came after each training', async () => {
  const windows: string[] = [];
  const watched: Evaluate = (configs, window) => {
    windows.push(`${configs.length} ${window.start}-${window.end}`);
    return evaluateFake(configs, window);
  };
  const { folds, totalReturn } = await walkForward(watched, CANDIDATES, {
    rank: 'return',
    folds: [0, 20].map((at) => ({
      train: { start: at, end: at + 40 },
      test: { start: at + 40, end: at + 60 },
    })),
  });
  assert.deepEqual(windows, ['9 0-40', '1 40-60', '9 20-60', '1 60-80']);
  assert.deepEqual(
    folds.map(({ best }) => best.set),
    [8, 8],
  );
  near(totalReturn, (1 + 0.16 + 0.0001) ** 2 - 1, 1e-9);
});
