import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INTERVAL_MS } from '#core/market/candle.ts';
import { BARE, backtest } from './hourly-backtest.ts';

const HOUR_MS = INTERVAL_MS['1h'];
const at = (hour: number): string => new Date(hour * HOUR_MS).toISOString();

/** The hand-made example: window low, arm, ratchet, exit exactly at the trail. */
function windowLowToTrail(): ReturnType<typeof backtest> {
  const config = {
    buy: { candleLimit: 3, gridLevels: [{ triggerPercentage: '1.01', maxPurchaseAmount: '100' }] },
    sell: { stopLossPercentage: '0.97', triggerPercentage: '1.05', trailingStopPercentage: '0.98', ...BARE },
  };
  return backtest(config, [
    '103/104/102/102.5',
    '102.5/103/101/101.5',
    '101.5/102/99/101',
    '101/101.2/98.6/99.4',
    '99.6/102/99.5/101.9',
    '101.9/105/101.8/104.57',
    '104.57/105.5/104.2/104.6',
    '104.6/108.4/104.5/108',
    '108/109.5/106/106.2',
    '106.2/106.5/105.7/105.84',
    '105.8/106/105/105.5',
  ]);
}

test('window low, arm, ratchet, exit exactly at the trail: the fills of the hand-made example', () => {
  const result = windowLowToTrail();
  assert.deepEqual(result.fills, [
    {
      at: at(4),
      side: 'buy',
      price: '99.6',
      quantity: '1.004',
      quote: '99.9984',
      fee: '0.001004',
      feeAsset: 'AAA',
      reason: 'entry-first',
      cycle: 1,
      realised: null,
      cash: '900.0016',
      position: '1.002996',
    },
    {
      at: at(10),
      side: 'sell',
      price: '105.8',
      quantity: '1.002',
      quote: '106.0116',
      fee: '0.1060116',
      feeAsset: 'USDT',
      reason: 'exit-trail',
      cycle: 1,
      realised: '6.00639',
      cash: '1005.9071884',
      position: '0.000996',
    },
  ]);
  assert.deepEqual(result.cycles, [
    { cycle: 1, openedAt: at(4), closedAt: at(10), net: '6.00639', exitReason: 'exit-trail' },
  ]);
  assert.deepEqual(result.decisions, {
    'hold-trail-armed': 3,
    'entry-history-short': 2,
    'entry-first': 2,
    'hold-below-arm': 2,
    'entry-above-window-low': 1,
    'exit-trail': 1,
  });
  // The second entry is decided at the last close: nothing fills on the candle that created the order.
  assert.equal(result.openPosition, null);
  assert.equal(result.metrics.finalEquity, 1005.9071884 + 0.000996 * 105.5);
});

test('the numbers of the hand-made example', () => {
  const { metrics } = windowLowToTrail();
  const near = (found: number, expected: number): void => assert.ok(Math.abs(found - expected) < 1e-12, `${found}`);
  assert.equal(metrics.exposure, 6 / 11);
  // 0.001004 at 99.6 and 0.1060116; 99.9984 bought and 106.0116 sold of 1000.
  near(metrics.fees, 0.0999984 + 0.1060116);
  near(metrics.turnover, (99.9984 + 106.0116) / 1000);
  assert.deepEqual([metrics.net, metrics.best, metrics.worst, metrics.closedCycles], [6.00639, 6.00639, 6.00639, 1]);
  // Bought at the first open of 103, less 0.1 %, worth 105.5 at the end; the only day of cost averaging is the same.
  const held = (0.999 * 105.5) / 103 - 1;
  near(metrics.buyAndHold, held);
  near(metrics.costAveraging, held);
  const made = 5.9071884 + 0.000996 * 105.5;
  const { capital } = metrics;
  assert.equal(capital.used, 99.9984);
  near(capital.returnOnUsed ?? 0, made / 99.9984);
  // 1.002996 next to 900.0016 at six of eleven closes; the 0.000996 that are left are less than a lot.
  const values = [101.9, 104.57, 104.6, 108, 106.2, 105.84].map((close) => 1.002996 * close);
  near(capital.meanExposure, values.reduce((sum, value) => sum + value / (900.0016 + value), 0) / 11);
  const benchmark = (1 - 0.001 * capital.meanExposure) * (1 + (capital.meanExposure * 2.5) / 103) - 1;
  near(capital.equalExposure, benchmark);
  near(capital.alpha, made / 1000 - benchmark);
  assert.deepEqual(metrics.durations, { meanMs: 6 * HOUR_MS, medianMs: 6 * HOUR_MS, longestMs: 6 * HOUR_MS });
});

test('a stop met exactly, then a pause after the loss', () => {
  const config = {
    buy: {
      candleLimit: 1,
      gridLevels: [{ triggerPercentage: '1', maxPurchaseAmount: '50' }],
      lossCooldownMinutes: 120,
    },
    sell: { stopLossPercentage: '0.93', triggerPercentage: '1.05', trailingStopPercentage: '0.98', ...BARE },
  };
  const result = backtest(config, [
    '201/202/200/200', // low 200, bought at the next open: 50 / 200.4 is 0.249
    '200/200.5/195/196',
    '196/196/186/186', // 0.93 * 200 = 186: sold at the next open
    '186/187/184/184', // sold at 3:00, so no buy before 5:00
    '184/184.5/183/183', // 5:00 exactly is late enough: 50 / 183.366 is 0.272
    '183/184/183/184',
  ]);
  assert.deepEqual(
    result.fills.map(({ at: when, side, quantity, price, cash }) => [when, side, quantity, price, cash]),
    [
      [at(1), 'buy', '0.249', '200', '950.2'],
      [at(3), 'sell', '0.248', '186', '996.281872'],
      [at(5), 'buy', '0.272', '183', '946.505872'],
    ],
  );
  // 46.081872 received - 49.8 paid + 0.000751 left over at 200.
  assert.deepEqual(
    result.cycles.map(({ net }) => net),
    ['-3.567928'],
  );
  assert.equal(result.decisions['cooldown-loss'], 1);
  assert.deepEqual(result.metrics.exits, { 'exit-stop-loss': { cycles: 1, wins: 0, net: -3.567928 } });
  assert.equal(result.metrics.profitFactor, 0);
  // 0.000751 of the first cycle and 0.272 less 0.1 % of the second.
  assert.deepEqual(result.openPosition?.quantity, '0.272479');
});
