import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { undescribedSettings } from '#strategies/test-schema.ts';
import { config, fitRanking } from './config.ts';

const problemsOf = (value: unknown): string[] => {
  const parsed = config.safeParse(value);
  return parsed.success ? [] : parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
};

const AAA = { symbol: 'AAAUSDT', weight: '0.6' };
const refusals: readonly [unknown, string][] = [
  [{ targets: [AAA, AAA] }, 'targets.1.symbol: AAAUSDT is listed twice'],
  [
    { targets: [AAA, { symbol: 'BBBUSDT', weight: '0.41' }] },
    'targets.1.weight: makes the sum of the shares more than the whole basket',
  ],
  [{ targets: [{ symbol: 'AAA/USDT' }] }, 'targets.0.symbol: is not a coin such as BTCUSDT'],
  [{ driftThreshold: '0' }, 'driftThreshold: 0 must be above 0'],
  [{ candleInterval: '1m' }, 'candleInterval: must be one of 5m, 15m, 30m, 1h, 2h, 4h, 1d'],
  [{ momentum: { lookbackCandles: 501 } }, 'momentum.lookbackCandles: must be at most 500'],
];
for (const [value, sentence] of refusals) {
  test(`refused: ${JSON.stringify(value)}`, () =>
    assert.ok(problemsOf(value).includes(sentence), problemsOf(value).join()));
}

test('the JSON Schema describes every setting for the form', () => {
  assert.deepEqual(undescribedSettings(z.toJSONSchema(config, { io: 'input' })), []);
});

test('a stored ranking over less than one candle or coin counts as one', () => {
  const stored = { ...config.parse({}), momentum: { lookbackCandles: -3, topK: 0, minScore: '' } };
  assert.deepEqual(fitRanking(stored), { lookbackCandles: 1, topK: 1, minScore: '' });
});
