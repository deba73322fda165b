import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPhantom, totalOf } from './cost-basis.ts';
import { formatDecimal, requireDecimal as d, ZERO } from '#core/amount/decimal.ts';

const RULES = {
  lot: { step: d('0.01'), min: d('0.01'), max: ZERO },
  notional: { min: d('5'), max: ZERO, minAppliesToMarket: true },
};

const CASES: readonly [balance: string, price: string, phantom: boolean, why: string][] = [
  ['0', '100', true, 'nothing'],
  ['0.009', '1000000', true, 'below the smallest tradeable step, whatever it is worth'],
  ['0.01', '100', false, 'exactly one step, worth more'],
  ['0.05', '1', true, 'worth exactly one hundredth of the minimum order value'],
  ['0.06', '1', false, 'worth just more than that'],
];
for (const [balance, price, phantom, why] of CASES) {
  test(`a balance of ${balance} at ${price} is ${phantom ? 'a phantom' : 'no phantom'}: ${why}`, () => {
    assert.equal(isPhantom(d(balance), d(price), RULES), phantom);
  });
}

test('free and locked count together, an absent asset is zero, a garbled amount is not known', () => {
  const balances = { BTC: { free: '0.1', locked: '0.25' }, ETH: { free: 'x', locked: '0' } };
  const total = totalOf(balances, 'BTC');
  assert.equal(total === undefined ? null : formatDecimal(total), '0.35');
  assert.deepEqual([totalOf(balances, 'XYZ'), totalOf(balances, 'ETH')], [ZERO, undefined]);
});
