import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Decimal, requireDecimal as d, ZERO } from '#core/amount/decimal.ts';
import { createFeePrices } from './fee-prices.ts';

const START_MS = Date.UTC(2026, 2, 10);
const RULES = { baseAsset: 'BTC', quoteAsset: 'USDT' };
const feeAt = (ms: number, feeAsset: string | null = 'BNB') => ({
  feeAsset,
  feeAmount: d('0.00123456'),
  at: new Date(START_MS + ms),
});

function openPrices(read: () => Promise<ReadonlyMap<string, Decimal>>) {
  const warned: unknown[] = [];
  const log = { warn: (fields: Readonly<Record<string, unknown>>) => void warned.push(fields['event']) };
  return { warned, book: createFeePrices({ prices: read, marketMs: () => START_MS, log }) };
}
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a fee in a third asset is worth its price near the time of the fill, to the last digit', async () => {
  const { book } = openPrices(() => Promise.resolve(new Map([['BNBUSDT', d('612.34567891')]])));
  assert.equal(book.valueOf(feeAt(0), RULES), null, 'no price is known yet');
  book.refresh();
  await turn();
  for (const ms of [-300_000, 0, 300_000]) assert.equal(book.valueOf(feeAt(ms), RULES), d('0.7559774813551296'));
  for (const ms of [-300_001, 300_001]) assert.equal(book.valueOf(feeAt(ms), RULES), null);
  assert.equal(book.valueOf(feeAt(0), { ...RULES, quoteAsset: 'TRY' }), null, 'no such pair');
  for (const asset of ['BTC', 'USDT', null]) assert.equal(book.valueOf(feeAt(0, asset), RULES), ZERO);
  assert.equal(book.valueOf({ ...feeAt(900_000), feeAmount: ZERO }, RULES), ZERO);
});

test('prices that cannot be read log a warning and leave the value unknown', async () => {
  const { book, warned } = openPrices(() => Promise.reject(new Error('away')));
  book.refresh();
  book.refresh();
  await turn();
  assert.deepEqual([warned, book.valueOf(feeAt(0), RULES)], [['fee_prices_not_read'], null]);
});
