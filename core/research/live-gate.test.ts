import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkBars, gateFacts, USUAL_BARS } from './live-gate.ts';

const NOW = Date.UTC(2024, 1, 2);
const resultOf = (metrics: object) => ({
  to: '2024-02-01T00:00:00.000Z',
  metrics: { profitFactor: 1.5, closedCycles: 40, capital: { returnOnUsed: 0.1, alpha: 0.001 }, ...metrics },
  holdout: { outOfSample: { totalReturn: 0.01 } },
  drawdown: { depth: 0.1 },
  coverage: { candles: 1000, missing: 0 },
});
const missedBy = (metrics: object): string[] =>
  checkBars(USUAL_BARS, gateFacts.parse(resultOf(metrics)), NOW).flatMap(({ bar, passed }) => (passed ? [] : [bar]));

test('a run passes when it made money on the capital it used, and more than equal exposure did', () => {
  assert.deepEqual(missedBy({}), []);
  assert.deepEqual(missedBy({ capital: { returnOnUsed: -0.02, alpha: 0.001 } }), ['returnOnCapital']);
  assert.deepEqual(missedBy({ capital: { returnOnUsed: 0.1, alpha: -0.0001 } }), ['alpha']);
});

test('a run that bought nothing has no return on capital, and misses that bar', () => {
  const nothing = { profitFactor: null, closedCycles: 0, capital: { returnOnUsed: null, alpha: 0 } };
  assert.deepEqual(missedBy(nothing), ['profitFactor', 'closedCycles', 'returnOnCapital']);
});

test('a result of an earlier version does not say what the bars are about', () => {
  const { capital: _capital, ...metrics } = resultOf({}).metrics;
  const earlier = { ...metrics, alpha: { buyAndHold: 0.6, costAveraging: 0.4 } };
  assert.equal(gateFacts.safeParse({ ...resultOf({}), metrics: earlier }).success, false);
});
