import assert from 'node:assert/strict';
import test from 'node:test';
import { parseAccount } from './account.ts';

const balances = [
  { asset: 'BTC', free: '4723846.89208129', locked: '0.00000000' },
  { asset: 'BNB', free: '0.00000000', locked: '1.50000000' },
  { asset: 'ETH', free: '0.00000000', locked: '0.00000000' },
];

test('non-zero balances, and fees as shares', () => {
  const reading = parseAccount({
    balances,
    permissions: ['SPOT'],
    commissionRates: { maker: '0.00100000', taker: '0.00150000', buyer: '0', seller: '0' },
  });
  assert.deepEqual(reading, {
    canTrade: true,
    permissions: ['SPOT'],
    balances: { BTC: { free: '4723846.89208129', locked: '0' }, BNB: { free: '0', locked: '1.5' } },
    makerFee: 0.001,
    takerFee: 0.0015,
  });
});

test('older replies give fees in basis points', () => {
  const { makerFee, takerFee } = parseAccount({ balances: [], makerCommission: 15, takerCommission: 20 });
  assert.deepEqual([makerFee, takerFee], [0.0015, 0.002]);
});

test('a reply without a fee gets the standard fee', () => {
  const { makerFee, takerFee } = parseAccount({ balances: [] });
  assert.deepEqual([makerFee, takerFee], [0.001, 0.001]);
});

test('an account without balances is unreadable', () => {
  assert.throws(() => parseAccount({ makerCommission: 1 }), /the account in an unexpected form at balances/);
});
