import assert from 'node:assert/strict';
import { test } from 'node:test';
import { APPROVAL_REASONS, describe } from './decision.ts';

test('an amount has its asset where the coin is known', () => {
  const text = APPROVAL_REASONS['size-below-minimum'];
  const numbers = { budget: '1', minOrderQuote: '5.663805' };
  assert.equal(
    describe(text, numbers, { baseAsset: 'BTC', quoteAsset: 'USDT' }),
    'Not buying: 1 USDT is below the smallest order, 5.663805 USDT.',
  );
  assert.equal(describe(text, numbers), 'Not buying: 1 is below the smallest order, 5.663805.');
});

test('a sentence counts in the right words, and says what number it lacks', () => {
  const sentenceOf = (orders?: number): string =>
    describe(APPROVAL_REASONS['base-locked-by-orphan'], { asset: 'BTC', locked: '0.1', ...(orders && { orders }) });
  const ways: [number | undefined, string, string][] = [
    [1, '1 open order of BTC belongs', 'it'],
    [2, '2 open orders of BTC belong', 'them'],
    [undefined, '– open orders of BTC belong', 'them'],
  ];
  for (const [orders, words, those] of ways) {
    const rest = `to no profile (0.1 BTC locked). Adopt, cancel or leave ${those} under orphan orders.`;
    assert.equal(sentenceOf(orders), `Not buying: ${words} ${rest}`);
  }
});
