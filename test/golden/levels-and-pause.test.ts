import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toNumber, ZERO } from '#core/amount/decimal.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { assertRows, assertSentences, type Expected } from './expected.ts';
import { runGolden } from './market-run.ts';

const CANDLES = [
  '201/202/200/200',
  '200/200.5/195/196',
  '196/196/191.5/192',
  '191.8/192/188/189',
  '189/189.5/182/182.11',
  '182.11/183/182/182',
  '181.5/181.6/178/178',
  '178/178.5/177/177',
];

const EXPECTED: readonly Expected[] = [
  { reason: 'entry-first', numbers: { limit: '200.00', level: 0, budget: '50' }, order: '0.249' },
  {
    reason: 'hold-below-arm',
    numbers: { stop: '186.00', arm: '210.00', nextBuy: '192.00' },
    fill: { side: 'buy', quantity: '0.249', price: '200' },
    quantity: '0.248751',
    average: '200',
  },
  { reason: 'entry-add', numbers: { level: 1, price: '192.00', limit: '192.00' }, order: '0.259' },
  {
    reason: 'hold-below-arm',
    numbers: { stop: '182.11', arm: '205.62', nextBuy: null },
    fill: { side: 'buy', quantity: '0.259', price: '191.8' },
    quantity: '0.507492',
    average: '195.819291338582677165',
    cash: '900.5238',
  },
  { reason: 'exit-stop-loss', numbers: { price: '182.11', threshold: '182.11' }, order: '0.507' },
  {
    // The strategy would buy; the pause after the loss keeps the order back.
    reason: 'entry-first',
    numbers: { limit: '182.00', level: 0 },
    fill: { side: 'sell', quantity: '0.507', price: '182.11' },
    quantity: '0.000492',
    cash: '992.76124023',
  },
  { reason: 'entry-first', numbers: { limit: '178.00', level: 0 }, order: '0.28' },
  {
    reason: 'hold-below-arm',
    numbers: { stop: '165.56', arm: '186.94' },
    fill: { side: 'buy', quantity: '0.28', price: '178' },
    quantity: '0.280212',
  },
];

test('G2: two levels, a stop exactly at its price, and a pause after the loss', () => {
  const strategy = STRATEGIES.get('trailing-trade');
  assert.ok(strategy);
  const gridLevels = [
    { triggerPercentage: '1', maxPurchaseAmount: '50' },
    { triggerPercentage: '0.96', maxPurchaseAmount: '50' },
  ];
  const config = {
    buy: { candleLimit: 1, gridLevels, lossCooldownMinutes: 90 },
    sell: { stopLossPercentage: '0.93' },
  };
  const rows = runGolden({ strategy, config, candles: CANDLES });
  assertRows(rows, EXPECTED);
  assertSentences(rows, strategy);
  const sold = rows[5];
  const rounded = [sold?.realised, sold?.position.lastCycleNet].map((value) => toNumber(value ?? ZERO).toFixed(8));
  assert.deepEqual(rounded, ['-7.14241668', '-7.14241668']);
  assert.equal(sold?.position.cooldownUntil?.getTime(), 390 * 60_000);
});
