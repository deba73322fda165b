import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settingText, sliderRange } from './setting-text.ts';

test('a setting reads as a person would say it', () => {
  const plain = { of: undefined, unit: undefined };
  assert.equal(settingText({ ...plain, of: 'the cost' }, '0.97'), '3\u202f% below');
  assert.equal(settingText({ ...plain, of: 'the cost' }, ''), 'off');
  assert.equal(settingText({ ...plain, unit: 'quote' }, '150', 'USDT'), '150 USDT');
  assert.equal(settingText({ ...plain, unit: 'minutes' }, 60), '60 minutes');
  assert.equal(settingText(plain, true), 'on');
});

test('a slider covers a window around no distance, inside the bounds, and always its value', () => {
  assert.deepEqual(sliderRange([0, 1], 0.97), [0.9, 1]);
  assert.deepEqual(sliderRange([1, 10], 1.5), [1, 1.5]);
  assert.deepEqual(sliderRange([0, 2], Number.NaN), [0.9, 1.1]);
});
