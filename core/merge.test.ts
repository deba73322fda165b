import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isObject, mergePatch } from './merge.ts';

const json = fc.jsonValue({ maxDepth: 4 });
const objects = fc.dictionary(fc.string(), json, { maxKeys: 6 });
const copy = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const clean = (value: Record<string, unknown>) => mergePatch(value, {});

test('an empty patch changes nothing, and the same patch twice is as good as once', () => {
  fc.assert(
    fc.property(objects, objects, (base, patch) => {
      assert.deepEqual(mergePatch(clean(base), {}), clean(base));
      const once = mergePatch(base, patch);
      assert.deepEqual(mergePatch(once, patch), once);
    }),
  );
});

test('inputs and prototypes stay as they were', () => {
  const attack = fc.oneof(
    objects,
    fc.constantFrom(...['__proto__', 'constructor', 'prototype'].map((key) => copyOf(key))),
  );
  fc.assert(
    fc.property(objects, attack, (base, patch) => {
      const before = [copy(base), copy(patch)];
      mergePatch(base, patch);
      assert.deepEqual([copy(base), copy(patch)], before);
      assert.equal(Reflect.get({}, 'polluted'), undefined);
    }),
  );
});

/** An object with an own key that would reach a prototype if it were assigned. */
const copyOf = (key: string): Record<string, unknown> => {
  const parsed: unknown = JSON.parse(`{"${key}":{"polluted":1},"nested":{"${key}":{"polluted":1}}}`);
  return isObject(parsed) ? parsed : {};
};

test('null removes, arrays replace whole, keys that reach a prototype are skipped', () => {
  const base = { buy: { candleLimit: 60, gridLevels: ['a', 'b'] }, sell: { x: 1 } };
  const patch: unknown = JSON.parse('{"buy":{"candleLimit":null,"gridLevels":["c"]},"__proto__":{"y":1}}');
  assert.deepEqual(mergePatch(base, patch), { buy: { gridLevels: ['c'] }, sell: { x: 1 } });
  assert.equal(Reflect.get({}, 'y'), undefined);
});

const ignored: readonly unknown[] = [null, undefined, 5, 'text', ['a'], true];
for (const patch of ignored) {
  test(`a patch that is ${JSON.stringify(patch)} is ignored`, () =>
    assert.deepEqual(mergePatch({ a: 1 }, patch), { a: 1 }));
}

test('a base that is no object counts as empty, nulls inside a new object vanish', () => {
  assert.deepEqual(mergePatch(7, { a: { b: null, c: 1 } }), { a: { c: 1 } });
});

test('a patch as deep as a stack does no harm', () => {
  const deep = Array.from({ length: 5000 }).reduce<unknown>((inner) => ({ a: inner }), 1);
  assert.ok(isObject(mergePatch({}, deep)));
});
