import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireDecimal, ZERO } from '#core/amount/decimal.ts';
import { GOLDEN_RULES } from '#test/golden/market-run.ts';
import { runBacktest } from './run.ts';
import { candlesOf, scripted } from './test-script.ts';

const MINUTES = 2000;
/** Up to row 1000, then down to 30 % below, with a spike of one minute in between. */
const priceAt = (row: number): number => (row === 1234 ? 5 : row < 1000 ? 100 + row / 10 : 200 - (row - 1000) / 10);

test('about 500 points, with the worth at both ends and the deepest fall, however short it was', () => {
  const rows = Array.from(
    { length: MINUTES },
    (_, row) => `${priceAt(row)}/${priceAt(row)}/${priceAt(row)}/${priceAt(row)}`,
  );
  const bound = scripted({
    decisions: {
      10: { kind: 'buy', reason: 'go', level: 0 },
      1900: { kind: 'sell', reason: 'stop', lots: 'all' },
    },
  });
  const outcome = runBacktest({
    bound,
    rules: GOLDEN_RULES,
    terms: { balance: requireDecimal('1000'), feeRate: requireDecimal('0.001'), slippage: ZERO },
    candles: candlesOf('1m', rows),
  });
  assert.ok(outcome.kind === 'result');
  const { equityCurve, metrics, drawdown } = outcome.result;
  assert.ok(equityCurve.length >= 500 && equityCurve.length <= 502, String(equityCurve.length));
  assert.equal(equityCurve[0]?.equity, 1000);
  assert.equal(equityCurve.at(-1)?.equity, metrics.finalEquity);
  assert.equal(equityCurve.at(-1)?.price, priceAt(MINUTES - 1));
  const [peak, trough] = [drawdown.peakAt, drawdown.troughAt].map((at) => equityCurve.find((point) => point.at === at));
  assert.equal(1 - (trough?.equity ?? 0) / (peak?.equity ?? 1), drawdown.depth);
  assert.equal(trough?.price, 5);
  const times = equityCurve.map(({ at }) => at);
  assert.deepEqual(times, times.toSorted());
});
