import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { isObject } from '#core/merge.ts';
import { readStored } from '#strategies/stored.ts';
import { undescribedSettings } from '#strategies/test-schema.ts';
import { config, windowOf } from './config.ts';

const DEFAULTS = config.parse({});

const problemsOf = (value: unknown): string[] => {
  const parsed = config.safeParse(value);
  return parsed.success ? [] : parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
};

test('an empty config is the defaults', () => {
  assert.equal(DEFAULTS.buy.candleLimit, 60);
  assert.equal(DEFAULTS.buy.entrySizing.amount, '15');
  assert.deepEqual(config.parse({ buy: { candleLimit: 60 } }), DEFAULTS);
});

const refusals: readonly [unknown, string][] = [
  [
    { buy: { entrySizing: { mode: 'risk-at-stop', percent: '0.11' } } },
    'buy.entrySizing.percent: 0.11 must be at most 0.1, because it is the loss at one stop',
  ],
  [
    { buy: { entrySizing: { mode: 'risk-at-stop' } }, sell: { stopLossPercentage: '' } },
    'buy.entrySizing.mode: is risk-at-stop, which needs a stop loss; set one or choose another mode',
  ],
  [{ buy: { maxSymbolExposureQuote: '0' } }, 'buy.maxSymbolExposureQuote: 0 must be above 0'],
  [{ buy: { candleLimit: 1000 } }, 'buy.candleLimit: must be at most 999'],
  [{ buy: { candleLimit: 0 } }, 'buy.candleLimit: must be at least 1'],
  [{ buy: { candleLimit: 1.5 } }, 'buy.candleLimit: must be a whole number'],
  [{ buy: { entrySizing: { amount: '0' } } }, 'buy.entrySizing.amount: 0 must be above 0'],
  [{ buy: { entrySizing: { amount: '' } } }, 'buy.entrySizing.amount: is not a decimal number'],
  [
    { buy: { gridLevels: [{}, {}] } },
    'buy.gridLevels.1.triggerPercentage: 1 must be below 1: a further level buys below the average entry price',
  ],
  [
    { buy: { gridLevels: [{}, ...Array.from({ length: 20 }, () => ({ triggerPercentage: '0.9' }))] } },
    'buy.gridLevels: holds more than 20 buy levels',
  ],
  [
    { buy: { gridLevels: [{ minPurchaseAmount: '11', maxPurchaseAmount: '10' }] } },
    'buy.gridLevels.0.minPurchaseAmount: 11 must not be above the 10 this level spends',
  ],
  [
    { buy: { gridLevels: [{ triggerPercentage: '2.01' }] } },
    'buy.gridLevels.0.triggerPercentage: 2.01 must be at most 2',
  ],
  [
    { buy: { gridLevels: [{ stopPricePercentage: '1.01' }] } },
    'buy.gridLevels.0.limitPricePercentage: is empty, but a buy that follows the price needs both',
  ],
  [
    { buy: { gridLevels: [{ stopPricePercentage: '1.01', limitPricePercentage: '1.005' }] } },
    'buy.gridLevels.0.limitPricePercentage: 1.005 must not be below 1.01, the trigger of the buy',
  ],
  [
    { sell: { takeProfits: [{}, { fraction: '0.1' }] } },
    'sell.takeProfits.1.triggerPercentage: 1.03 must be above the 1.03 of the sale before it',
  ],
  [
    { sell: { takeProfits: [{}, { triggerPercentage: '1.04', fraction: '0.51' }] } },
    'sell.takeProfits.1.fraction: sells more than everything, together with those before',
  ],
  [{ technicals: { rows: [{}, {}] } }, 'technicals.rows.1.interval: 1h is used twice; each interval may appear once'],
  [{ regime: { period: 201 } }, 'regime.period: must be at most 200'],
  [{ sell: { stopLossPercentage: '1' } }, 'sell.stopLossPercentage: 1 must be below 1'],
  [{ sell: { triggerPercentage: '1' } }, 'sell.triggerPercentage: 1 must be above 1'],
  [{ sell: { stopLossPercentage: 0.97 } }, 'sell.stopLossPercentage: must be decimal text such as "0.97"'],
  [
    { buy: { firstBuyTriggerBasis: 'immediate', gridLevels: [{ triggerPercentage: '1.01' }] } },
    'buy.gridLevels.0.triggerPercentage: 1.01 has no effect, because the first buy is immediate; set it to 1',
  ],
  [
    { sell: { breakEven: { armAtPercentage: '1.003' } } },
    'sell.breakEven.floorPercentage: 1.003 must be below 1.003, where the floor starts',
  ],
  [{ buy: { indicatorGate: { rsiMaxBuy: '101' } } }, 'buy.indicatorGate.rsiMaxBuy: 101 must be at most 100'],
  [{ sell: { atrTrailing: { multiplier: '0' } } }, 'sell.atrTrailing.multiplier: 0 must be above 0'],
  [{ sell: { timeStopBars: 10_001 } }, 'sell.timeStopBars: must be at most 10000'],
  [{ sell: { surprise: 1 } }, 'sell: Unrecognized key: "surprise"'],
  [{ candleInterval: '7h' }, 'candleInterval: must be one of 1m, 3m, 5m, 15m, 30m, 1h, 2h, 4h, 1d'],
];
for (const [value, sentence] of refusals) {
  test(`refused: ${JSON.stringify(value)}`, () => assert.deepEqual(problemsOf(value), [sentence]));
}

test('the highest legal values pass, and every exit can be switched off', () => {
  const off = { stopLossPercentage: '', triggerPercentage: '', trailingStopPercentage: '' };
  assert.deepEqual(problemsOf({ buy: { candleLimit: 999 }, sell: off }), []);
});

test('the JSON Schema describes every setting for the form', () => {
  const schema = z.toJSONSchema(config, { io: 'input' });
  assert.deepEqual(undescribedSettings(schema), []);
  assert.ok(isObject(schema.properties?.['buy']));
});

test('a stored value above the maximum is kept, but the window is not', () => {
  const stored = readStored(config, { buy: { candleLimit: 5000 } });
  assert.equal(stored.readable, true);
  assert.equal(stored.config.buy.candleLimit, 5000);
  assert.equal(windowOf(stored.config), 999);
});
