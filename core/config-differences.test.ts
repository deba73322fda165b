import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differencesOf } from './config-differences.ts';

test('two configs are compared path by path', () => {
  const before = { sell: { stop: '0.97', trail: '0.99' }, levels: [1], same: 1 };
  const after = { sell: { stop: '0.95' }, levels: [1, 2], same: 1, empty: '' };
  assert.deepEqual(differencesOf(before, after), [
    { path: 'sell.stop', before: '0.97', after: '0.95' },
    { path: 'sell.trail', before: '0.99', after: undefined },
    { path: 'levels', before: [1], after: [1, 2] },
    { path: 'empty', before: undefined, after: '' },
  ]);
  assert.deepEqual(differencesOf(before, before), []);
  assert.deepEqual(differencesOf({}, { sell: { stop: '0.95' }, empty: {} }), [
    { path: 'sell.stop', before: undefined, after: '0.95' },
  ]);
});

test('lists of the same length are compared item by item', () => {
  const levels = (second: string) => ({ levels: [{ at: '1' }, { at: second }] });
  assert.deepEqual(differencesOf(levels('0.99'), levels('0.98')), [
    { path: 'levels.1.at', before: '0.99', after: '0.98' },
  ]);
});
