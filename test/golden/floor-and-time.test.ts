import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal } from '#core/amount/decimal.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { assertRows, assertSentences, type Expected } from './expected.ts';
import { runGolden } from './market-run.ts';

const BUY = { candleLimit: 1, gridLevels: [{ triggerPercentage: '1', maxPurchaseAmount: '60' }] };

function runExample(sell: object, candles: readonly string[], expected: readonly Expected[]) {
  const strategy = STRATEGIES.get('trailing-trade');
  assert.ok(strategy);
  const rows = runGolden({ strategy, config: { buy: BUY, sell }, candles });
  assertRows(rows, expected);
  assertSentences(rows, strategy);
  const last = rows.at(-1);
  assert.ok(last);
  return last;
}

const BOUGHT = {
  fill: { side: 'buy', quantity: '0.598', price: '100' },
  quantity: '0.597402',
  average: '100',
} as const;
const ENTRY: Expected = { reason: 'entry-first', numbers: { windowLow: '100.00', limit: '100.00' }, order: '0.598' };

test('G3: a floor goes up in profit and sells on equality; a loss after fees starts the pause', () => {
  const sell = {
    stopLossPercentage: '0.95',
    triggerPercentage: '1.05',
    trailingStopPercentage: '0.97',
    breakEven: { armAtPercentage: '1.02', floorPercentage: '1.002003' },
  };
  const candles = [
    '101/101/100/100',
    '100/102.5/99.9/101.8',
    '101.8/102.2/101/102',
    '102/102/100.3/100.4',
    '100.4/100.5/100.1/100.2',
    '100.1/103/100/103',
  ];
  const last = runExample(sell, candles, [
    ENTRY,
    { reason: 'hold-below-arm', numbers: { arm: '105.00', stop: '95.00' }, ...BOUGHT },
    { reason: 'hold-break-even-armed', numbers: { floor: '100.20', arm: '105.00', away: '2.94 %' } },
    { reason: 'hold-break-even-armed', numbers: { price: '100.40', floor: '100.20' } },
    { reason: 'exit-break-even', numbers: { price: '100.20', threshold: '100.20' }, order: '0.597' },
    {
      reason: 'entry-above-window-low',
      numbers: { windowLow: '100.00' },
      fill: { side: 'sell', quantity: '0.597', price: '100.1' },
      cash: '999.8999403',
    },
  ]);
  const { lastCycleNet, cooldownUntil } = last.position;
  assert.equal(lastCycleNet && formatDecimal(lastCycleNet), '-0.0598597');
  assert.equal(cooldownUntil?.getTime(), 5 * 3_600_000 + 60 * 60_000);
});

test('G5: leaves after three candles without a trail', () => {
  const sell = { stopLossPercentage: '0.90', triggerPercentage: '1.10', timeStopBars: 3 };
  const candles = [
    '101/101/100/100',
    '100/101/99.9/100.5',
    '100.5/101/100/100.4',
    '100.4/101/100/100.3',
    '100.2/103/100/103',
  ];
  const last = runExample(sell, candles, [
    ENTRY,
    { reason: 'hold-below-arm', numbers: { arm: '110.00' }, ...BOUGHT },
    { reason: 'hold-below-arm', numbers: {} },
    { reason: 'exit-time-stop', numbers: { price: '100.30', bars: 3, timeStopBars: 3 }, order: '0.597' },
    {
      reason: 'entry-above-window-low',
      numbers: {},
      fill: { side: 'sell', quantity: '0.597', price: '100.2' },
      cash: '999.9595806',
    },
  ]);
  const { lastCycleNet, cooldownUntil } = last.position;
  assert.equal(lastCycleNet && formatDecimal(lastCycleNet), '-0.0002194');
  assert.ok(cooldownUntil);
});
