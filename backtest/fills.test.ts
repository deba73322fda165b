import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal, requireDecimal, ZERO } from '#core/amount/decimal.ts';
import { GOLDEN_RULES } from '#test/golden/market-run.ts';
import { fillAt, marketPrice } from './fills.ts';

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

test('half the spread is added to the slippage', () => {
  // 100 * (1 + 0.0003 + 0.0004) = 100.07
  const terms = { tick, slippage: requireDecimal('0.0003'), halfSpread: requireDecimal('0.0004') };
  assert.equal(formatDecimal(marketPrice('buy', 10_000, terms)), '100.07');
});

const context = {
  rules: GOLDEN_RULES,
  terms: { balance: requireDecimal('1000'), feeRate: requireDecimal('0.001'), slippage: ZERO },
  atMs: 60_000,
  number: 1,
  order: 1,
  maker: false,
};

test('the fee of a buy is taken in the coin, that of a sell in quote, both cut to 8 decimals', () => {
  const quantity = requireDecimal('0.123');
  const price = requireDecimal('12.34567');
  const bought = fillAt({ quantity, side: 'buy' }, price, context);
  const sold = fillAt({ quantity, side: 'sell' }, price, context);
  // 0.123 * 12.34567 = 1.51851741
  assert.equal(formatDecimal(bought.quoteQuantity), '1.51851741');
  assert.deepEqual([formatDecimal(bought.feeAmount), bought.feeAsset], ['0.000123', 'AAA']);
  assert.deepEqual([formatDecimal(sold.feeAmount), sold.feeAsset], ['0.00151851', 'USDT']);
});

test('an order that waited pays the maker fee; a fee in another asset is its worth in quote', () => {
  const terms = { ...context.terms, makerFeeRate: requireDecimal('0.0002') };
  const order = { quantity: requireDecimal('2'), side: 'buy' } as const;
  const price = requireDecimal('100');
  assert.equal(formatDecimal(fillAt(order, price, { ...context, terms, maker: true }).feeAmount), '0.0004');
  const other = fillAt(order, price, { ...context, terms: { ...terms, feeIn: 'other' } });
  assert.deepEqual([formatDecimal(other.feeAmount), other.feeAsset], ['0.2', 'OTHER']);
});
