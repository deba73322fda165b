import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differencesOf } from './differences.ts';

test('two configs are compared path by path, lists whole', () => {
  const before = { sell: { stop: '0.97', trail: '0.99' }, levels: [1], same: 1 };
  const after = { sell: { stop: '0.95' }, levels: [1, 2], same: 1, empty: '' };
  assert.deepEqual(differencesOf(before, after), [
    { path: 'sell.stop', before: '0.97', after: '0.95' },
    { path: 'sell.trail', before: '0.99', after: 'not set' },
    { path: 'levels', before: '[1]', after: '[1,2]' },
    { path: 'empty', before: 'not set', after: '""' },
  ]);
  assert.deepEqual(differencesOf(before, before), []);
});
