import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireDecimal } from '#core/amount/decimal.ts';
import { AlertWatch, triggeredText } from './price-alert.ts';

const MINUTE_MS = 60_000;
const level = (kind: 'above' | 'below', price: string) => ({ kind, price: requireDecimal(price) });
const move = (percent: string, minutes: number) =>
  ({ kind: 'move', percent: requireDecimal(percent), minutes }) as const;
const at = (price: string, atMs = 0) => ({ price: requireDecimal(price), atMs });

test('a level triggers when the price reaches it from the other side', () => {
  const above = new AlertWatch(level('above', '100'), false);
  assert.deepEqual(
    ['99', '99.99', '100'].map((price) => above.triggers(at(price))),
    [false, false, true],
  );
  const below = new AlertWatch(level('below', '100'), false);
  assert.deepEqual(
    ['101', '100.01', '99'].map((price) => below.triggers(at(price))),
    [false, false, true],
  );
});

test('a level that is reached already waits until the price was on the other side', () => {
  const above = new AlertWatch(level('above', '100'), false);
  assert.deepEqual(
    ['101', '100', '99', '101'].map((price) => above.triggers(at(price))),
    [false, false, false, true],
  );
});

test('a level that was ready before a restart triggers with the first price beyond it', () => {
  assert.ok(new AlertWatch(level('above', '100'), true).triggers(at('105')));
});

test('a move triggers up and down, exactly at its percentage', () => {
  for (const [last, expected] of [
    ['102.99', false],
    ['103', true],
    ['97.01', false],
    ['97', true],
  ] as const) {
    const watch = new AlertWatch(move('3', 10), true);
    assert.equal(watch.triggers(at('100', 0)), false);
    assert.equal(watch.triggers(at(last, MINUTE_MS)), expected, last);
  }
});

test('a move counts from the lowest and the highest price within the time, and forgets older ones', () => {
  const watch = new AlertWatch(move('3', 10), true);
  watch.triggers(at('100', 0));
  watch.triggers(at('98.5', MINUTE_MS));
  assert.ok(watch.triggers(at('101.5', 2 * MINUTE_MS)), 'counted from 98.5');
  const slow = new AlertWatch(move('3', 10), true);
  slow.triggers(at('100', 0));
  assert.equal(slow.triggers(at('104', 10 * MINUTE_MS)), false, 'the price of 100 is ten minutes old');
});

test('a move counts from earlier prices that were added, in any order, and forgets them too', () => {
  const range = (startMs: number, low: string, high: string) => ({
    startMs,
    low: requireDecimal(low),
    high: requireDecimal(high),
  });
  const watch = new AlertWatch(move('3', 10), true);
  watch.triggers(at('100', 9 * MINUTE_MS));
  watch.addHistory([range(2 * MINUTE_MS, '99', '100'), range(MINUTE_MS, '97.5', '99')]);
  assert.ok(watch.triggers(at('100.5', 10 * MINUTE_MS)), 'counted from 97.5');
  assert.equal(watch.triggers(at('101.5', 11 * MINUTE_MS)), false, 'the price of 97.5 is ten minutes old');
  assert.ok(watch.triggers(at('102', 11.5 * MINUTE_MS)), 'counted from 99');
});

test('the message names the condition and the price', () => {
  assert.equal(
    triggeredText('BTCUSDT', level('above', '63000'), requireDecimal('63000.5')),
    'BTCUSDT is above 63000: 63000.5',
  );
  assert.equal(
    triggeredText('BTCUSDT', move('3', 60), requireDecimal('61000')),
    'BTCUSDT moved by 3 % within 60 min: 61000',
  );
});
