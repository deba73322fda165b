import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { add, type Decimal, formatDecimal, requireDecimal, ZERO } from '#core/amount/decimal.ts';
import type { ExchangeFill } from '#core/order/fill.ts';
import { ledgerRowsOf } from './ledger.ts';

const RULES = { baseAsset: 'BTC', quoteAsset: 'USDT' };
const amount = fc.integer({ min: 1, max: 1_000_000_000 }).map((units) => requireDecimal((units / 1e6).toFixed(6)));

const fills = fc.record({
  side: fc.constantFrom<'buy' | 'sell'>('buy', 'sell'),
  price: amount,
  quantity: amount,
  quoteQuantity: amount,
  feeAmount: fc.oneof(amount, fc.constant(ZERO)),
  feeAsset: fc.constantFrom('BTC', 'USDT', 'BNB', null),
});
const complete = (
  fill: Pick<ExchangeFill, 'side' | 'price' | 'quantity' | 'quoteQuantity' | 'feeAmount' | 'feeAsset'>,
) => ({
  ...fill,
  symbol: 'BTCUSDT',
  tradeId: '1',
  exchangeOrderId: '1',
  maker: false,
  at: new Date(0),
});

const sumOf = (rows: readonly { asset: string; amount: Decimal }[], asset: string): Decimal =>
  rows.filter((row) => row.asset === asset).reduce((sum, row) => add(sum, row.amount), ZERO);

test('the rows of a fill sum to zero in every asset', () => {
  fc.assert(
    fc.property(fills, (fill) => {
      const rows = ledgerRowsOf(complete(fill), RULES);
      for (const asset of ['BTC', 'USDT', 'BNB']) assert.equal(sumOf(rows, asset), ZERO);
    }),
  );
});

test('the wallet moves as on the exchange', () => {
  const one = requireDecimal('1');
  const base = {
    price: one,
    quantity: requireDecimal('2'),
    quoteQuantity: requireDecimal('2'),
    feeAmount: requireDecimal('0.002'),
  };
  const wallet = (side: 'buy' | 'sell', feeAsset: string | null) => {
    const rows = ledgerRowsOf(complete({ ...base, side, feeAsset }), RULES).filter((row) => row.book === 'wallet');
    return ['BTC', 'USDT', 'BNB'].map((asset) => formatDecimal(sumOf(rows, asset)));
  };
  assert.deepEqual(wallet('buy', 'BTC'), ['1.998', '-2', '0']);
  assert.deepEqual(wallet('sell', 'USDT'), ['-2', '1.998', '0']);
  assert.deepEqual(wallet('buy', 'BNB'), ['2', '-2', '-0.002']);
  assert.deepEqual(wallet('sell', null), ['-2', '2', '0']);
});
