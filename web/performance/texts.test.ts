import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayName, monthName, shortMoney, signedMoney } from './texts.ts';

test('a day and a month have their year only when it is another one', () => {
  assert.equal(dayName('2026-11-04', '2026-11-25'), '4 November');
  assert.equal(dayName('2025-11-04', '2026-11-25'), '4 November 2025');
  assert.equal(monthName('2026-06', '2026-11-25'), 'June');
  assert.equal(monthName('2025-12', '2026-11-25'), 'December 2025');
});

test('money in a small place loses its decimals once it has two digits', () => {
  assert.deepEqual(
    ['178.49', '-121.5', '-3.456', '0', '9.994'].map((value) => shortMoney(value, 'USDT')),
    ['+178', '−122', '−3.46', '0.00', '+9.99'],
  );
  assert.equal(signedMoney('-0.000012', 'BTC'), '−0.00001200');
});
