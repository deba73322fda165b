import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capRooms, equityBudget, lossFraction } from './budget.ts';
import { requireDecimal as d, formatDecimal, multiply, toNumber, ZERO } from '#core/amount/decimal.ts';
import { sizeEntry, stopLimitOf } from './sizing.ts';
import { rulesWith } from '#test/harness/rules.ts';

const rules = rulesWith();
const stop = { price: d('99.50'), rules, stopMultiple: d('0.97'), stopLimitOffset: d('0.995') };

test('risk at the stop: 1 % of 1000 at 99.50 buys 2.717 and loses less than 10 at the limit', () => {
  assert.equal(formatDecimal(stopLimitOf(stop)), '96.02');
  const loss = lossFraction(stop, 0.001);
  assert.equal(toNumber(loss).toFixed(10), '0.0369039596');
  const budget = equityBudget({ mode: 'risk-at-stop', percent: d('0.01') }, d('1000'), loss);
  assert.equal(toNumber(budget).toFixed(5), '270.97363');
  const sized = sizeEntry({ ...stop, budget, freeQuote: d('1000'), baseFeeRate: 0.001 });
  assert.equal(sized.kind === 'sized' && formatDecimal(sized.quantity), '2.717');
  assert.equal(toNumber(multiply(multiply(d('2.717'), d('99.50')), loss)).toFixed(5), '9.97667');
});

test('risk at a very close stop spends at most half of the equity, percent of equity its share', () => {
  assert.equal(formatDecimal(equityBudget({ mode: 'risk-at-stop', percent: d('0.01') }, d('1000'), d('0.001'))), '500');
  assert.equal(formatDecimal(equityBudget({ mode: 'percent-of-equity', percent: d('0.05') }, d('1000'), d('1'))), '50');
});

test('without a stop everything counts as lost', () => {
  assert.equal(formatDecimal(lossFraction({ ...stop, stopMultiple: null }, 0.001)), '1');
});

test('the tightest cap comes first and leaves nothing below zero', () => {
  const rooms = capRooms({ symbolExposure: d('100'), positionLoss: d('2') }, { used: d('60'), loss: d('0.04') });
  assert.deepEqual(
    rooms.map(({ reason, room }) => `${reason} ${formatDecimal(room)}`),
    ['cap-position-loss 0', 'cap-symbol-exposure 40'],
  );
  assert.deepEqual(capRooms({ symbolExposure: null, positionLoss: null }, { used: ZERO, loss: d('1') }), []);
});
