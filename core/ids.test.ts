import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { idSchema } from './id-schema.ts';
import { newId, type ProfileId } from './ids.ts';

test('an id is a UUID of version 7 that sorts by its time', () => {
  const times = fc.tuple(fc.integer({ min: 0, max: 2 ** 47 }), fc.integer({ min: 1, max: 10_000 }));
  fc.assert(
    fc.property(times, ([at, later]) => {
      const [first, second] = [newId<ProfileId>(at), newId<ProfileId>(at + later)];
      assert.match(first, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      assert.equal(Number.parseInt(first.replaceAll('-', '').slice(0, 12), 16), at);
      assert.ok(first < second);
    }),
  );
});

test('ids of one moment differ, and sort by their creation', () => {
  const ids = Array.from({ length: 2_000 }, () => newId(0));
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual(ids.toSorted(), ids);
  assert.equal(new Set(Array.from({ length: 10_000 }, () => newId(0))).size, 10_000, 'also beyond the counter');
});

test('only lower-case UUIDs are ids', () => {
  const schema = idSchema<ProfileId>();
  const id = newId<ProfileId>();
  assert.equal(schema.parse(id), id);
  for (const text of ['', 'x', id.toUpperCase(), `${id} `, id.slice(1)])
    assert.equal(schema.safeParse(text).success, false, text);
});
