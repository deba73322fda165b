import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireDecimal } from '#core/amount/decimal.ts';
import { hasLimits, NO_LIMITS, riskLimits } from '#core/account/risk.ts';
import { LIMIT_PRESETS, NO_LIMIT, presetLimits } from './limit-presets.ts';

const EQUITY = requireDecimal('15003.4321');

test('the normal preset stops buying for a day at 2 % of the equity', () =>
  assert.deepEqual(
    LIMIT_PRESETS.filter(({ title }) => title.startsWith('Normal')).map((preset) => presetLimits(preset, EQUITY)),
    [{ dailyLoss: '300.07', drawdown: '750.17', lossStreak: 4 }],
  ));

test('the limits of every preset can be saved', () => {
  for (const preset of LIMIT_PRESETS)
    assert.ok(riskLimits.safeParse({ ...NO_LIMITS, asset: 'USDT', ...presetLimits(preset, EQUITY) }).success);
});

test('the preset None leaves no limit', () =>
  assert.equal(
    hasLimits({ ...NO_LIMITS, asset: 'USDT', dailyLoss: '10', openPositions: 3, exposure: '5', ...NO_LIMIT }),
    false,
  ));
