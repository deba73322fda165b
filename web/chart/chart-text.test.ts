import assert from 'node:assert/strict';
import { test } from 'node:test';
import { candleChange, figureText, markText, valueAt, volumeText } from './chart-text.ts';

const ETH = { symbol: 'ETHUSDT', base: 'ETH', quote: 'USDT', tickSize: '0.01000000' };

test('volumes have three digits, and a word from a million on', () => {
  assert.deepEqual([1_924_000_000, 612_300_000, 12_345.6, 548.2, 3.14159, 0.0521, 0].map(volumeText), [
    '1.92\u202fbn',
    '612\u202fm',
    '12,346',
    '548',
    '3.14',
    '0.052',
    '0',
  ]);
});

test('a value that is no price has three digits and its sign', () => {
  assert.deepEqual([45.234, -0.01234, 0.00012, 0, -12_345].map(figureText), [
    '45.2',
    '\u22120.0123',
    '0.000120',
    '0',
    '\u221212,345',
  ]);
});

test('a mark names its price, and a sale its net result', () => {
  assert.equal(markText({ side: 'buy', price: 2434.2, net: null }, ETH), 'Buy 2,434.20');
  assert.equal(markText({ side: 'sell', price: 2496.3, net: 31.075 }, ETH), 'Sell 2,496.30 +31.08');
  assert.equal(markText({ side: 'sell', price: 2396.3, net: -22.45 }, ETH), 'Sell 2,396.30 \u221222.45');
});

test('the change of a candle has a sign, and none at zero', () => {
  assert.equal(candleChange({ open: 100, close: 101 }), '+1.00\u202f%');
  assert.equal(candleChange({ open: 100, close: 100 }), '0.00\u202f%');
});

test('the open candle shows the average of the last close, a level in force no older value', () => {
  assert.equal(valueAt({ from: 'close', values: [1, 2, null] }, 2), 2);
  assert.equal(valueAt({ from: 'open', values: [1, 2, null] }, 2), null);
  assert.equal(valueAt({ from: 'close', values: [1, null, 3] }, 1), null);
});
