import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderText, outcomeText, termsOf, timeLeft } from './proposal-text.ts';

const order = { side: 'buy', type: 'market', quoteAmount: '300' };
const coin = { symbol: 'BTCUSDT', quoteAsset: 'USDT' };
const outcome = (state: 'done' | 'refused' | 'pending', detail: unknown, reason: string | null = null) => ({
  id: 'a',
  state,
  reason,
  detail,
});

test('an order is named with the numbers of its preview', () => {
  const detail = { quantity: '0.00486', price: '61734', quote: '300.0272', fee: '0.3', worstLoss: '12.6' };
  const terms = termsOf({ ...coin, order, preview: outcome('done', detail) });
  assert.equal(orderText(terms), 'Buy 0.00486 BTC for 300.03 USDT');
  assert.deepEqual([terms.fee, terms.worstLoss], ['0.3', '12.6']);
});

test('an order without a preview is named as it was proposed', () => {
  const terms = termsOf({ ...coin, order, preview: outcome('pending', {}) });
  assert.equal(orderText(terms), 'Buy BTC for 300.00 USDT');
});

test('a sale names about what it brings', () => {
  const detail = { quantity: '2.1', quote: '310', worstLoss: null };
  const sale = { side: 'sell', type: 'limit', quantity: '2.1', price: '148' };
  assert.equal(
    orderText(termsOf({ symbol: 'SOLUSDT', quoteAsset: 'USDT', order: sale, preview: outcome('done', detail) })),
    'Sell 2.1 SOL for about 310.00 USDT',
  );
});

test('the time that is left counts down to zero', () => {
  const at = '2026-11-25T12:01:24.000Z';
  assert.deepEqual(
    [0, 83_500, 84_000, 90_000].map((ms) => timeLeft(at, Date.parse('2026-11-25T12:00:00.000Z') + ms)),
    ['1:24', '0:01', '0:00', '0:00'],
  );
});

test('an outcome says who refused, with the reason of the worker', () => {
  const refused = outcome('refused', {}, 'Too small.');
  assert.deepEqual(outcomeText({ state: 'expired', preview: refused, action: null }), {
    words: 'Rejected by the worker',
    reason: 'Too small.',
    isRefused: true,
  });
  const done = outcome('done', {});
  assert.equal(outcomeText({ state: 'approved', preview: done, action: refused }).words, 'Approved, rejected');
  assert.equal(outcomeText({ state: 'denied', preview: done, action: null }).words, 'Denied by you');
});

test('an order that was carried out is shown with its state', () => {
  const action = outcome('done', { state: 'partially-filled', orderId: 'b' });
  assert.equal(
    outcomeText({ state: 'approved', preview: outcome('done', {}), action }).words,
    'Approved, partially filled',
  );
});
