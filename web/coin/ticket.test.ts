import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal, requireDecimal } from '#core/amount/decimal.ts';
import type { Coin, OrderTerms } from '#web/data/answers.ts';
import { estimateOf, type Estimate, shareText, smallestText, type TicketEntry } from './ticket.ts';

const coin = (quantity = '0'): Coin => ({
  ...{ symbol: 'ETHUSDT', baseAsset: 'ETH', quoteAsset: 'USDT', tickSize: '0.01', stepSize: '0.001' },
  ...{ overrideConfig: {}, price: '2000', priceAt: null, pause: null, cooldownUntil: null, costBasis: null },
  ...{ blockers: [], untracked: null, state: null },
  position: {
    ...{ quantity, averagePrice: '1800', cost: '1801.8', value: null, unrealised: null },
    ...{ realised: '0', fees: '0', unvaluedFees: 0, cycle: 1, openedAt: null },
  },
});
const none = { step: '0', min: '0', max: '0' };
const TERMS: OrderTerms = {
  available: '1000.5',
  takerFee: 0.001,
  rules: {
    price: { tick: '0.01' },
    lot: { step: '0.001', min: '0.001', max: '9000' },
    marketLot: none,
    notional: { min: '5', max: '9000000', minAppliesToMarket: true },
  },
  stop: { multiple: '0.95', limitOffset: '1' },
};
const estimate = (entry: Partial<TicketEntry>, held = '0', terms = TERMS): Estimate =>
  estimateOf({ coin: coin(held), terms, entry: { side: 'buy', amount: '', limit: '', ...entry } });
const textOf = (value: Estimate['fee']): string | null => (value === null ? null : formatDecimal(value));

test('a buy has its quantity in whole steps, its fee at most and its value', () => {
  const { quantity, value, fee, problem } = estimate({ amount: '101' });
  // 101 less 0.2 % for the move of the price is 100.798, which buys 0.050 at 2,000.
  assert.deepEqual([quantity, value, fee].map(textOf), ['0.05', '100', '0.1']);
  assert.equal(problem, null);
});

test('a limit order is sized at its limit', () => {
  assert.equal(textOf(estimate({ amount: '100', limit: '1,000.00' }).quantity), '0.1');
});

test('a buy says what its stop would lose, after both fees', () => {
  // 0.05 bought, 0.04995 after the fee, so 0.049 whole steps; at 1,900 they give 93.1, less 0.1 % 93.0069.
  assert.equal(textOf(estimate({ amount: '101' }).result), '-6.9931');
});

test('settings without a stop give no loss at the stop', () => {
  assert.equal(estimate({ amount: '101' }, '0', { ...TERMS, stop: null }).result, null);
});

test('the new average price counts what is held', () => {
  // 1 at 1,800 and 0.05 at 2,000.
  assert.equal(textOf(estimate({ amount: '101' }, '1').average)?.slice(0, 8), '1809.523');
});

test('the smallest order is named before an amount is typed', () => {
  const { smallest, problem } = estimate({});
  // 5 x 1.05 at the stop of 1,900 needs 0.003, before the fee 0.004: 8 USDT, and 0.2 % for the move of the price.
  assert.deepEqual([textOf(smallest), problem], ['8.016', null]);
});

test('the smallest order is rounded up: an order of that amount is large enough', () => {
  assert.equal(smallestText(requireDecimal('8.016'), 'USDT'), '8.02');
  assert.equal(estimate({ amount: '8.02' }).problem, null);
});

const PROBLEMS: readonly (readonly [string, Partial<TicketEntry>, string, string])[] = [
  ['too small', { amount: '4' }, '0', 'The smallest order is 8.02 USDT.'],
  ['above the balance', { amount: '2000' }, '0', 'Only 1,000.50 USDT is available.'],
  ['no number', { amount: 'all' }, '0', 'The amount must be above 0.'],
  ['off the tick', { amount: '100', limit: '2000.005' }, '0', 'Limit price: must be a multiple of 0.01 USDT.'],
  ['more than is held', { side: 'sell', amount: '2' }, '1', 'Only 1.000 ETH can be sold.'],
  ['a sale that is too small', { side: 'sell', amount: '0.001' }, '1', 'The smallest sale is 5.00 USDT.'],
  [
    'a rest that is too small',
    { side: 'sell', amount: '0.999' },
    '1',
    'The rest, 0.001 ETH, would be too small to sell.',
  ],
];
for (const [name, entry, held, problem] of PROBLEMS) {
  test(`a problem while typing: ${name}`, () => {
    assert.equal(estimate(entry, held).problem, problem);
  });
}

test('a sale has its proceeds, its fee, and its result against the cost', () => {
  const { value, fee, result } = estimate({ side: 'sell', amount: '0.5' }, '1');
  // Half of the cost is 900.90; 1,000 less the fee of 1 is 999.
  assert.deepEqual([value, fee, result].map(textOf), ['1000', '1', '98.1']);
});

test('a share of the balance is rounded down to cents, a share of the position to whole steps', () => {
  const place = { coin: coin('0.1239'), terms: TERMS };
  assert.equal(shareText(place, 'buy', requireDecimal('0.25')), '250.12');
  assert.equal(shareText(place, 'sell', requireDecimal('0.5')), '0.061');
  assert.equal(shareText(place, 'sell', requireDecimal('1')), '0.123');
});
