import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal } from '#core/amount/decimal.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { assertRows, assertSentences, type Expected } from './expected.ts';
import { runGolden } from './market-run.ts';

const CANDLES = [
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
];

const EXPECTED: readonly Expected[] = [
  { reason: 'entry-history-short', numbers: { have: 1, need: 3 } },
  { reason: 'entry-history-short', numbers: { have: 2, need: 3 } },
  { reason: 'entry-above-window-low', numbers: { price: '101.00', windowLow: '99.00', limit: '99.99', window: 3 } },
  { reason: 'entry-first', numbers: { price: '99.40', windowLow: '98.60', limit: '99.58', level: 0 }, order: '1.004' },
  {
    reason: 'hold-below-arm',
    numbers: { price: '101.90', avg: '99.60', stop: '96.61', arm: '104.58', away: '2.63 %' },
    fill: { side: 'buy', quantity: '1.004', price: '99.6' },
    quantity: '1.002996',
    average: '99.6',
    cash: '900.0016',
  },
  { reason: 'hold-below-arm', numbers: { price: '104.57', arm: '104.58' } },
  { reason: 'hold-trail-armed', numbers: { high: '104.60', trailStop: '102.50' } },
  { reason: 'hold-trail-armed', numbers: { high: '108.00', trailStop: '105.84' } },
  { reason: 'hold-trail-armed', numbers: { high: '108.00', trailStop: '105.84', price: '106.20', away: '0.34 %' } },
  { reason: 'exit-trail', numbers: { price: '105.84', threshold: '105.84', avg: '99.60' }, order: '1.002' },
  {
    reason: 'entry-first',
    numbers: { windowLow: '105.00', limit: '106.05' },
    order: '0.945',
    fill: { side: 'sell', quantity: '1.002', price: '105.8' },
    quantity: '0.000996',
    cash: '1005.9071884',
  },
];

function runExample() {
  const strategy = STRATEGIES.get('trailing-trade');
  assert.ok(strategy);
  const config = {
    buy: { candleLimit: 3, gridLevels: [{ triggerPercentage: '1.01', maxPurchaseAmount: '100' }] },
    sell: { stopLossPercentage: '0.97', triggerPercentage: '1.05', trailingStopPercentage: '0.98' },
  };
  return { strategy, rows: runGolden({ strategy, config, candles: CANDLES }) };
}

test('window low, arm, ratchet, exit exactly at the trail', () => {
  const { rows } = runExample();
  assertRows(rows, EXPECTED);
});

test('the sale gains what the fold says, and a gain starts no pause', () => {
  const sold = runExample().rows.at(-1);
  assert.ok(sold?.realised);
  assert.ok(sold.position.lastCycleNet);
  assert.equal(formatDecimal(sold.realised), '6.00639');
  assert.equal(formatDecimal(sold.position.lastCycleNet), '6.00639');
  assert.equal(sold.position.cooldownUntil, null);
});

test('every sentence of the example has all its numbers', () => {
  const { strategy, rows } = runExample();
  assertSentences(rows, strategy);
});
