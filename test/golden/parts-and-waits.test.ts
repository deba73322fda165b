import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BacktestResult } from '#core/research/backtest-result.ts';
import { requireDecimal } from '#core/amount/decimal.ts';
import { BARE, backtest } from './hourly-backtest.ts';

/** Each fill as `hour side quantity @ price reason`, and the cash it left. */
const fillsOf = ({ fills }: BacktestResult): string[] =>
  fills.map(
    ({ at, side, quantity, price, reason, cash }) =>
      `${new Date(at).getUTCHours()} ${side} ${quantity} @ ${price} ${reason} ${cash}`,
  );

test('G4: two parts are sold on the way up, the rest leaves by the trail', () => {
  const config = {
    buy: { candleLimit: 1, gridLevels: [{ triggerPercentage: '1', maxPurchaseAmount: '300' }] },
    sell: {
      stopLossPercentage: '0.95',
      takeProfits: [
        { triggerPercentage: '1.03', fraction: '0.4' },
        { triggerPercentage: '1.06', fraction: '0.4' },
      ],
      ...BARE,
    },
  };
  const result = backtest(config, [
    '101/101/100/100', // 300 / 100.2 = 2.994
    '100/103/100/103', // 0.4 of 2.991 lots is 1.196
    '103/105/103/105', // the trail starts at 105: 102.90
    '105/106/105/106', // second part
    '106/107/106/107', // 107 * 0.98 = 104.86
    '107/107/104.86/104.86', // met exactly
    '104.8/105/104.7/105',
  ]);
  assert.deepEqual(fillsOf(result), [
    '1 buy 2.994 @ 100 entry-first 700.6',
    '2 sell 1.196 @ 103 exit-take-profit 823.664812',
    '4 sell 1.196 @ 106 exit-take-profit 950.314036',
    '6 sell 0.599 @ 104.8 exit-trail 1013.0264608',
  ]);
  assert.deepEqual(
    result.cycles.map(({ net }) => net),
    ['13.0270608'],
  );
  assert.deepEqual([result.decisions['exit-take-profit'], result.decisions['hold-trail-armed']], [2, 2]);
});

const QUEUE = {
  buy: { candleLimit: 1, gridLevels: [{ triggerPercentage: '1', maxPurchaseAmount: '50' }] },
  execution: { entryMode: 'maker', entryTimeoutBars: 1 },
};
/** A tenth of the volume may be taken: 0.01 of the first candle that trades through 200, and enough of the other. */
const queued = (volume: number): string[] => [
  '201/201/200.01/200.01', // waits at 200.00: 50 / 200 = 0.250
  `200.01/200.01/199.99/199.99/${volume}`, // the first part; then it is too old
  '200.01/201/200.01/200.01', // the rest of the plan waits at 200.00
  '200.01/201/199.99/200.5',
];
const TENTH = { participation: requireDecimal('0.1') };

test('G6: a level that filled in part is taken back and tried again with what is left of its plan', () => {
  const result = backtest(QUEUE, queued(0.1), TENTH);
  // 0.010 is worth 2.00, below half of the plan: 48 / 200 = 0.240 is left to buy.
  assert.deepEqual(fillsOf(result), ['1 buy 0.01 @ 200 entry-first 998', '3 buy 0.24 @ 200 entry-first 950']);
  // 0.250 less 0.1 %, and the level counts as done: 50 of 50.
  assert.deepEqual(result.openPosition, { quantity: '0.24975', averagePrice: '200' });
  assert.deepEqual(result.decisions, { 'entry-first': 2, 'order-entry-timeout': 1, 'hold-below-arm': 1 });
});

test('G6: a first part that could be sold is a position, and its level still buys the rest', () => {
  const result = backtest(QUEUE, queued(0.3), TENTH);
  // 0.030 is worth 6.00: 44 / 200 = 0.220.
  assert.deepEqual(fillsOf(result), ['1 buy 0.03 @ 200 entry-first 994', '3 buy 0.22 @ 200 entry-first 950']);
});

test('a waiting buy is taken back when the price has left its reason', () => {
  const config = { ...QUEUE, execution: { entryMode: 'maker', entryTimeoutBars: 0 } };
  const result = backtest(config, ['201/201/200.01/200.01', '200.01/203/200.01/202', '202/203/199/203']);
  assert.deepEqual(result.fills, []);
  assert.deepEqual(result.decisions, {
    'entry-first': 1,
    'order-entry-condition-gone': 1,
    'entry-above-window-low': 1,
  });
});

test('Chase: the buy follows the price down by 0.1 % or more and is set off when it turns', () => {
  const level = { triggerPercentage: '1', maxPurchaseAmount: '100' };
  const gridLevels = [{ ...level, stopPricePercentage: '1.01', limitPricePercentage: '1.012' }];
  const config = { buy: { candleLimit: 1, gridLevels }, sell: BARE };
  const result = backtest(config, [
    '99/99/98/98', // set off at 98.98, for at most 99.18
    '98/98.5/97.95/97.95', // 98.93 is not below 98.88: it stays
    '97.95/98.5/97.9/97.9', // 98.88: moved, for at most 99.08
    '97.9/98.88/97.9/98.5', // 100 / 99.08 = 1.009
  ]);
  assert.deepEqual(fillsOf(result), ['3 buy 1.009 @ 98.88 entry-first 900.23008']);
  assert.deepEqual(result.decisions, { 'entry-first': 2, 'order-entry-open': 1, 'hold-below-arm': 1 });
});

test('Chase: its stop is doubtful in the candle that bought, and a stop like any other after it', () => {
  const level = { triggerPercentage: '1', maxPurchaseAmount: '100' };
  const gridLevels = [{ ...level, stopPricePercentage: '1.01', limitPricePercentage: '1.012' }];
  const config = { buy: { candleLimit: 1, gridLevels, lossCooldownMinutes: 1_440 }, sell: {} };
  const result = backtest(config, [
    '99/99/98/98', // set off at 98.98
    '98/99/98/98.9', // bought on the way up; the stop rests at 96.01
    '98.9/98.9/95/95.5', // sold in both orders of high and low; at worst the stop's limit is missed
  ]);
  assert.deepEqual(
    fillsOf(result).map((line) => line.replace(/ (entry|exit).*/, '')),
    ['1 buy 1.008 @ 98.98', '2 sell 1.006 @ 96.01'],
  );
  const { candles, stops, worst, base, best } = result.ambiguity;
  assert.deepEqual([candles, stops, best], [1, 1, base]);
  assert.ok(worst < base);
});
