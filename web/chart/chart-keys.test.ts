import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandOf } from './chart-keys.ts';

const press = (key: string, held: Partial<Parameters<typeof commandOf>[0]> = {}) =>
  commandOf({ key, shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, ...held });

test('arrows step by a candle, with Shift by a screenful', () => {
  assert.deepEqual(press('ArrowLeft'), { kind: 'step', by: -1 });
  assert.deepEqual(press('ArrowRight', { shiftKey: true }), { kind: 'page', by: 1 });
});

test('plus zooms in on every keyboard, also where it needs Shift', () => {
  for (const key of ['+', '=']) assert.deepEqual(press(key, { shiftKey: true }), { kind: 'zoom', by: 1 });
  assert.deepEqual(press('-'), { kind: 'zoom', by: -1 });
});

test('f fits all candles', () => {
  assert.deepEqual([press('f'), press('F')], [{ kind: 'fit' }, { kind: 'fit' }]);
});

test('combinations of the browser stay with it', () => {
  assert.equal(press('f', { ctrlKey: true }), undefined);
  assert.equal(press('ArrowLeft', { altKey: true }), undefined);
  assert.equal(press('x'), undefined);
});
