import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal, requireDecimal, ZERO } from '#core/decimal.ts';
import { GOLDEN_RULES } from '#test/golden/market-run.ts';
import { fillMarket, marketPrice } from './fills.ts';

const tick = requireDecimal('0.01');

test('a market order meets the open, moved and rounded against it', () => {
  for (const [side, slippage, price] of [
    ['buy', '0', '100'],
    ['sell', '0', '100'],
    // 100 * 1.00055 = 100.055 and 100 * 0.99945 = 99.945
    ['buy', '0.00055', '100.06'],
    ['sell', '0.00055', '99.94'],
    ['buy', '0.0005', '100.05'],
    ['sell', '0.0005', '99.95'],
  ] as const) {
    const filled = marketPrice(side, 10_000, { tick, slippage: requireDecimal(slippage) });
    assert.equal(formatDecimal(filled), price, `${side} ${slippage}`);
  }
});

const context = {
  rules: GOLDEN_RULES,
  terms: { balance: requireDecimal('1000'), feeRate: requireDecimal('0.001'), slippage: ZERO },
  cash: requireDecimal('10'),
  atMs: 60_000,
  number: 1,
};

test('the fee of a buy is taken in the coin, that of a sell in quote, both cut to 8 decimals', () => {
  const order = { quantity: requireDecimal('0.123'), reason: 'entry-first' };
  const price = requireDecimal('12.34567');
  const bought = fillMarket({ ...order, side: 'buy' }, price, context);
  const sold = fillMarket({ ...order, side: 'sell' }, price, context);
  assert.ok(bought && sold);
  // 0.123 * 12.34567 = 1.51851741
  assert.equal(formatDecimal(bought.quoteQuantity), '1.51851741');
  assert.deepEqual([formatDecimal(bought.feeAmount), bought.feeAsset], ['0.000123', 'AAA']);
  assert.deepEqual([formatDecimal(sold.feeAmount), sold.feeAsset], ['0.00151851', 'USDT']);
});

test('a buy needs the whole cost; a sell needs no cash', () => {
  const price = requireDecimal('10');
  const order = { quantity: requireDecimal('1'), reason: 'entry-first' };
  assert.ok(fillMarket({ ...order, side: 'buy' }, price, context));
  const dearer = { ...order, quantity: requireDecimal('1.001') };
  assert.equal(fillMarket({ ...dearer, side: 'buy' }, price, context), undefined);
  assert.ok(fillMarket({ ...dearer, side: 'sell' }, price, context));
});
