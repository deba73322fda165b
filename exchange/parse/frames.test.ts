import assert from 'node:assert/strict';
import test from 'node:test';
import { requireDecimal } from '#core/amount/decimal.ts';
import { readFrame } from './frames.ts';

const trade = {
  e: 'trade',
  E: 9,
  s: 'BNBBTC',
  t: 12345,
  p: '0.00100000',
  q: '100',
  T: 1672515782136,
  m: true,
  M: true,
};
const kline = {
  e: 'kline',
  E: 9,
  s: 'BNBBTC',
  k: {
    t: 60_000,
    T: 119_999,
    s: 'BNBBTC',
    i: '1m',
    f: 1,
    L: 2,
    o: '1',
    c: '2',
    h: '3',
    l: '0.5',
    v: '7',
    n: 1,
    x: true,
    q: '1',
  },
};

test('a trade is a price', () => {
  const event = { kind: 'price', symbol: 'BNBBTC', price: requireDecimal('0.001'), atMs: 1672515782136 };
  const frame = { kind: 'event', event, stream: 'BNBBTC@trade', order: 12345, final: true };
  assert.deepEqual(readFrame({ stream: 'bnbbtc@trade', data: trade }), frame);
  assert.deepEqual(readFrame({ ...trade, t: '12345' }), frame);
});

test('a kline is a candle', () => {
  const candle = { openMs: 60_000, closeMs: 120_000, open: 1, high: 3, low: 0.5, close: 2, volume: 7, closed: true };
  assert.deepEqual(readFrame({ stream: 'bnbbtc@kline_1m', data: kline }), {
    kind: 'event',
    event: { kind: 'candle', symbol: 'BNBBTC', interval: '1m', candle },
    stream: 'BNBBTC@kline_1m',
    order: 60_001,
    final: true,
  });
  const open = readFrame({ ...kline, k: { ...kline.k, x: false } });
  assert.ok(open.kind === 'event' && open.order === 60_000 && !open.final);
});

test('replies and the shutdown notice', () => {
  assert.deepEqual(readFrame({ result: null, id: 3 }), { kind: 'reply', id: 3, error: null });
  assert.deepEqual(readFrame({ id: 3, code: 2, msg: 'Invalid request' }), {
    kind: 'reply',
    id: 3,
    error: 'Invalid request (2)',
  });
  assert.deepEqual(readFrame({ id: 3, error: { code: 2, msg: 'No' } }), { kind: 'reply', id: 3, error: 'No (2)' });
  assert.deepEqual(readFrame({ stream: '!serverShutdown', data: { e: 'serverShutdown', E: 1 } }), { kind: 'shutdown' });
  assert.deepEqual(readFrame({ e: 'serverShutdown', E: 1 }), { kind: 'shutdown' });
});

test('everything else is ignored', () => {
  const others = [
    null,
    1,
    'x',
    [],
    {},
    { data: 1 },
    { ...trade, p: 'x' },
    { ...kline, k: { ...kline.k, i: '1s' } },
    { id: 'x' },
  ];
  for (const body of others) assert.deepEqual(readFrame(body), { kind: 'other' });
});
