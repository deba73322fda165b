import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal } from '#core/amount/decimal.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { assertSentences } from './expected.ts';
import { type GoldenRow, runGolden } from './market-run.ts';

const CLOSES = [100, 99, 98, 97, 96, 95, 97, 100, 103, 104, 105, 103, 100, 97];
/** Candles open where they close, but for the two that fill an order. */
const OPENS = new Map([
  [9, '100.10'],
  [14, '99.80'],
]);
const CANDLES = CLOSES.map((close, i) => `${OPENS.get(i + 1) ?? close}/${close + 1}/${close - 1}/${close}`);

const AVERAGES = {
  ema: { fast: 3, slow: 5 },
  trailingStopPercentage: '0.95',
  entryExtension: { maxPercentage: '' },
};

function runExample(change: object = {}): GoldenRow[] {
  const strategy = STRATEGIES.get('momentum');
  assert.ok(strategy);
  const rows = runGolden({ strategy, config: { ...AVERAGES, ...change }, candles: CANDLES });
  assertSentences(rows, strategy);
  return rows;
}

const reasonsOf = (rows: readonly GoldenRow[]): string[] => rows.map(({ decision }) => decision.reason);
const SHORT = Array.from({ length: 5 }, () => 'entry-history-short');

test('M1: buys the cross, holds above the trailing stop, sells when the averages cross down', () => {
  const rows = runExample();
  const held = Array.from({ length: 4 }, () => 'hold-above-stop');
  const waits = ['entry-no-cross', 'entry-no-cross'];
  assert.deepEqual(reasonsOf(rows), [
    ...SHORT,
    ...waits,
    'entry-cross-up',
    ...held,
    'exit-cross-down',
    'entry-no-cross',
  ]);
  const [signal, bought] = [rows[7], rows[8]];
  assert.deepEqual([signal?.numbers['fast'], signal?.numbers['slow']], ['98.25', '98.00']);
  assert.equal(signal?.quantity && formatDecimal(signal.quantity), '0.149');
  assert.equal(bought?.fill && formatDecimal(bought.fill.price), '100.1');
  assert.deepEqual(
    rows.slice(9, 12).map((row) => row.numbers['stop']),
    ['98.80', '99.75', '99.75'],
  );
  assert.equal(rows[11]?.numbers['high'], '105.00');
});

test('M1: the sale loses what the fold says', () => {
  const sold = runExample().at(-1);
  assert.ok(sold?.fill && sold.realised && sold.position.lastCycleNet);
  assert.deepEqual([formatDecimal(sold.fill.price), formatDecimal(sold.fill.quantity)], ['99.8', '0.148']);
  assert.equal(formatDecimal(sold.realised), '-0.0740853');
  assert.equal(formatDecimal(sold.position.lastCycleNet), '-0.0740853');
  assert.equal(formatDecimal(sold.cash), '999.8407296');
});

test('M1 with a margin: the cross counts one candle later', () => {
  const rows = runExample({ entryMarginPercentage: '1.005' });
  assert.deepEqual(reasonsOf(rows).slice(7, 9), ['entry-no-cross', 'entry-cross-up']);
});

test('M2: the tighter stop starts at its profit and sells before the averages cross', () => {
  const rows = runExample({ profitTrail: { activationPercentage: '1.03', trailPercentage: '0.97' } });
  assert.deepEqual(
    rows.slice(8, 12).map((row) => row.numbers['stop']),
    ['97.85', '100.88', '101.85', '101.85'],
  );
  assert.equal(rows[12]?.decision.reason, 'exit-profit-trail');
  assert.equal(rows[12]?.numbers['threshold'], '101.85');
});
