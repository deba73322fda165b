import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal } from '#core/amount/decimal.ts';
import type { Coin } from '#web/data/answers.ts';
import { profilePnl } from './profile-pnl.ts';

/** A coin with 2 units that cost 200 in all. */
const coin = (price: string | null, { quantity = '2', quoteAsset = 'USDT' } = {}): Coin => ({
  ...{ symbol: 'ETHUSDT', baseAsset: 'ETH', quoteAsset, tickSize: '0.01', stepSize: '0.0001', overrideConfig: {} },
  ...{ price, priceAt: null, pause: null, cooldownUntil: null, costBasis: null, blockers: [], untracked: null },
  state: null,
  position: {
    ...{ quantity, averagePrice: '100', cost: quantity === '0' ? '0' : '200', value: null, unrealised: null },
    ...{ realised: '7.5', fees: '3', unvaluedFees: 0, cycle: 1, openedAt: null },
  },
});

const shown = (...coins: Coin[]): (readonly [string, string, string | null])[] =>
  profilePnl(coins).map(({ quote, realised, total }) => [
    quote,
    formatDecimal(realised),
    total === null ? null : formatDecimal(total),
  ]);

test('the P&L of a profile is the realised and the unrealised P&L of its coins', () => {
  assert.deepEqual(shown(coin('110'), coin('95')), [['USDT', '15', '25']]);
});

test('a coin that is not held counts with its realised P&L, also without a price', () => {
  assert.deepEqual(shown(coin(null, { quantity: '0' })), [['USDT', '7.5', '7.5']]);
});

test('the P&L is not known while an open position has no price', () => {
  assert.deepEqual(shown(coin('110'), coin(null)), [['USDT', '15', null]]);
});

test('coins of different quote assets are not added up', () => {
  assert.deepEqual(shown(coin('110'), coin('110', { quoteAsset: 'EUR' })), [
    ['USDT', '7.5', '27.5'],
    ['EUR', '7.5', '27.5'],
  ]);
});
