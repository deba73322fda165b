import assert from 'node:assert/strict';
import { test } from 'node:test';
import { patchOf, valueAt, withoutValue, withPatched, withValue } from './config-path.ts';
import { mergePatch } from './merge.ts';

const config = { sell: { stop: '0.97' }, levels: [{ at: '1' }, { at: '0.98' }], marks: [1, 2] };

test('values are read and written by path without touching the original', () => {
  const changed = withValue(config, 'levels.1.at', '0.96');
  assert.equal(valueAt(changed, 'levels.1.at'), '0.96');
  assert.equal(valueAt(config, 'levels.1.at'), '0.98');
  assert.deepEqual(withValue({}, 'sell.stop', '1'), { sell: { stop: '1' } });
  assert.deepEqual(withValue(config, 'levels.2.at', '0.9'), config, 'a list keeps its length');
});

test('only what a config holds itself is a value', () => {
  for (const path of ['sell.none', 'none.stop', 'levels.2.at', 'levels.length', 'toString', 'sell.constructor.name'])
    assert.equal(valueAt(config, path), undefined, path);
  assert.equal(Object.getPrototypeOf(withValue({}, '__proto__.stop', '1')), Object.prototype);
});

test('what is no longer set is taken out, with the objects that this empties', () => {
  assert.deepEqual(withoutValue({ a: 1, buy: { sizing: { mode: 'fixed' } } }, 'buy.sizing.mode'), { a: 1 });
  assert.deepEqual(withoutValue({ buy: { x: 1, y: 2 } }, 'buy.x'), { buy: { y: 2 } });
  assert.deepEqual(withoutValue({ a: 1 }, 'buy.x'), { a: 1 });
});

test('changes become a patch that leads to them, with lists whole', () => {
  const changes = [
    { path: 'sell.stop', value: '0.95' },
    { path: 'levels.1.at', value: '0.96' },
    { path: 'levels.0.at', value: '1.01' },
    { path: 'marks.1', value: 3 },
  ];
  const patch = { sell: { stop: '0.95' }, levels: [{ at: '1.01' }, { at: '0.96' }], marks: [1, 3] };
  assert.deepEqual(patchOf(config, changes), patch);
  assert.deepEqual(
    mergePatch(config, patch),
    changes.reduce<unknown>((all, { path, value }) => withValue(all, path, value), config),
  );
  assert.deepEqual(patchOf(config, []), {});
});

test('a list that the patch holds already is changed, not copied again', () => {
  const own = { levels: [{ at: '5' }, { at: '4' }] };
  assert.deepEqual(withPatched({ own, base: config }, 'levels.0.at', '6'), { levels: [{ at: '6' }, { at: '4' }] });
});
