import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal, requireDecimal as d } from '#core/amount/decimal.ts';
import { newId, type OrderId } from '#core/ids.ts';
import { createWalletBook } from './wallet-book.ts';

const free = (book: ReturnType<typeof createWalletBook>, nowMs: number): string =>
  formatDecimal(book.free('USDT', nowMs));

test('committed orders lower the free balance until the exchange reports it', () => {
  const book = createWalletBook();
  book.replace({ at: new Date(), balances: { USDT: { free: '100', locked: '0' } } });
  const order = newId<OrderId>();
  book.reserve(order, 'USDT', d('60'));
  assert.equal(free(book, 0), '40');
  book.settle(order, 1_000);
  assert.equal(free(book, 2_000), '40');
  book.merge({ USDT: { free: '41', locked: '0' } }, new Date());
  assert.equal(free(book, 2_001), '41');
});

test('a settled reservation expires when no balance event comes, an open one does not', () => {
  const book = createWalletBook();
  book.replace({ at: new Date(), balances: { USDT: { free: '100', locked: '0' } } });
  const [settled, open] = [newId<OrderId>(), newId<OrderId>()];
  book.reserve(settled, 'USDT', d('10'));
  book.reserve(open, 'USDT', d('20'));
  book.settle(settled, 0);
  assert.equal(free(book, 3_000), '80');
  book.merge({}, new Date());
  assert.equal(free(book, 1e9), '80');
});

test('free never falls below zero and an unknown asset is zero', () => {
  const book = createWalletBook();
  book.reserve(newId<OrderId>(), 'USDT', d('60'));
  assert.equal(free(book, 0), '0');
});
