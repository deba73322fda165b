import assert from 'node:assert/strict';
import { test } from 'node:test';
import { highlights, logMark, prose } from './prose.ts';

const now = Date.UTC(2026, 10, 20, 14, 12);
const say = (text: string): string => prose(text, 'Asia/Tokyo', now);

test('numbers get comma groups and a real minus, the rest stays', () => {
  assert.equal(say('Sold 7.91 AVAX at 61234.50 for -4.18 USDT.'), 'Sold 7.91 AVAX at 61,234.50 for −4.18 USDT.');
  assert.equal(say('a loss of -0.277689604159545721.'), 'a loss of −0.2777.');
  assert.equal(say('0.72 % below'), '0.72\u202f% below');
  assert.equal(say('Order tw1-00ab12345-e1 of 12345.'), 'Order tw1-00ab12345-e1 of 12,345.');
  assert.equal(say('Waiting: 1500 ms old; entries need 5000 ms.'), 'Waiting: 1,500 ms old; entries need 5,000 ms.');
});

test('instants show in the zone of the operator', () => {
  assert.equal(say('Paused until 2026-11-20T14:34:00.000Z after a loss.'), 'Paused until 23:34:00 after a loss.');
});

test('a row is marked by what happened', () => {
  assert.equal(logMark({ level: 'info', ctx: { event: 'order_filled', side: 'buy' } }), 'up');
  assert.equal(logMark({ level: 'debug', ctx: { event: 'decision', kind: 'nothing' } }), 'minus');
  assert.equal(logMark({ level: 'warn', ctx: { event: 'order_unknown' } }), 'q');
  assert.equal(logMark({ level: 'error', ctx: null }), 'x');
});

test('a refused decision is nothing done, an approved one is intent', () => {
  const decision = { event: 'decision', kind: 'buy' };
  assert.equal(logMark({ level: 'info', ctx: { ...decision, approval: { kind: 'refused' } } }), 'minus');
  assert.equal(logMark({ level: 'info', ctx: { ...decision, approval: { kind: 'approved' } } }), 'flag');
});

test('of the rows that only wait the newest is enough', () => {
  const wait = (n: number) => ({ n, level: 'debug' as const, ctx: { event: 'decision', kind: 'nothing' } });
  const fill = { n: 9, level: 'info' as const, ctx: { event: 'order_filled', side: 'buy' } };
  assert.deepEqual(
    highlights([wait(1), wait(2), fill, wait(3)]).map(({ n }) => n),
    [1, 9],
  );
});

test('of a stop that moves only its newest place is told, coin by coin', () => {
  const stop = (symbol: string, at: number) => ({ level: 'info' as const, symbol, ctx: { event: 'stop_placed', at } });
  const rows = [stop('A', 3), stop('B', 2), stop('A', 1)];
  assert.deepEqual(highlights(rows), rows.slice(0, 2));
});
