import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Decimal, formatDecimal, requireDecimal as d } from '#core/amount/decimal.ts';
import {
  compounded,
  drawdowns,
  equityAt,
  meanPriceChange,
  NOTHING_HELD,
  profitFactorOf,
  profitOf,
  stepReturns,
  winRateOf,
} from './performance.ts';

const list = (...texts: string[]): Decimal[] => texts.map(d);
const near = (found: readonly number[], wanted: readonly number[]): void =>
  assert.deepEqual(
    found.map((value) => Number(value.toFixed(12))),
    wanted,
  );
const prices = (table: Record<string, string>) => new Map(Object.entries(table).map(([coin, text]) => [coin, d(text)]));

test('unrealised P&L is the value less the cost, and nothing without a price', () => {
  const held = { ...NOTHING_HELD, quantity: d('2'), cost: d('200.2'), realised: d('5') };
  assert.deepEqual(profitOf(held, d('110')), { realised: d('5'), unrealised: d('19.8') });
  assert.deepEqual(profitOf(held, undefined), { realised: d('5'), unrealised: d('0') });
});

test('the equity of a moment is the equity now less the P&L and the deposits since', () => {
  const input = { now: d('1600'), profits: list('0', '100', '50'), deposits: list('0', '0', '500') };
  assert.deepEqual(equityAt(input).map(formatDecimal), ['1050', '1150', '1600']);
});

test('a deposit changes no return: a step is judged by the equity at its start', () => {
  const profits = list('0', '100', '50');
  const equity = equityAt({ now: d('1650'), profits, deposits: list('0', '500', '500') });
  near(stepReturns(profits, equity), [0.090909090909, -0.029411764706]);
  const without = equityAt({ now: d('1150'), profits, deposits: list('0', '0', '0') });
  near(stepReturns(profits, without).slice(0, 1), [0.090909090909]);
});

test('a step without equity at its start has no return', () => {
  assert.deepEqual(stepReturns(list('0', '5'), list('0', '5')), [0]);
});

test('returns compound to the change of the equity', () => {
  const profits = list('0', '100', '50', '210');
  const equity = equityAt({ now: d('1210'), profits, deposits: list('0', '0', '0', '0') });
  near([compounded(stepReturns(profits, equity))], [0.21]);
});

test('a drawdown is measured from the highest value so far', () => {
  near(drawdowns([0.1, -0.1, -0.1, 0.5]), [0, 0, -0.1, -0.19, 0]);
});

test('buy and hold is the mean change of the coins that have a price at both moments', () => {
  const change = meanPriceChange(
    prices({ BTCUSDT: '100', ETHUSDT: '10', OLD: '1' }),
    prices({ BTCUSDT: '110', ETHUSDT: '12' }),
  );
  assert.equal(change === null ? null : formatDecimal(change), '0.15');
  assert.equal(meanPriceChange(prices({ OLD: '1' }), prices({ BTCUSDT: '1' })), null);
});

test('below 30 trades no ratio is shown', () => {
  assert.deepEqual([winRateOf(29, 20), profitFactorOf(29, d('10'), d('-5'))], [null, null]);
  assert.deepEqual([winRateOf(30, 18), profitFactorOf(30, d('10'), d('-5'))], [0.6, 2]);
});

test('without a loss there is no profit factor', () => {
  assert.equal(profitFactorOf(30, d('10'), d('0')), null);
});
