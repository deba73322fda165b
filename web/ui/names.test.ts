import assert from 'node:assert/strict';
import { test } from 'node:test';
import { valueText, wordsOf } from './names.ts';

test('the limit of an order is not named after a side: a stop that sells has one too', () => {
  assert.equal(wordsOf('limit'), 'Buy or sell limit');
});

test('a name without a label is spelled in words', () => {
  assert.equal(wordsOf('trailingStopPercentage'), 'Trailing stop percentage');
});

test('a trigger near the low is shown by its distance from it', () => {
  assert.equal(valueText('trigger', '100.50 %'), 'low + 0.5 %');
  assert.equal(valueText('price', '100.50 %'), '100.50 %');
});
