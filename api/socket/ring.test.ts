import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameRing } from './ring.ts';

const bootedAt = new Date('2026-01-01T00:00:00Z');
const filled = (count: number, capacity: number): FrameRing => {
  const ring = new FrameRing({ capacity, bootedAt });
  for (let i = 0; i < count; i++) ring.push({ topic: 'tick', data: i }, bootedAt);
  return ring;
};

test('frames after a number come back in order', () => {
  const ring = filled(7, 10);
  assert.deepEqual(
    ring.since(ring.seq - 3)?.map((frame) => frame.seq),
    [ring.seq - 2, ring.seq - 1, ring.seq],
  );
  assert.deepEqual(ring.since(ring.seq), []);
});

test('exactly the capacity can be replayed, also between two cuts', () => {
  for (const count of [10, 15, 19, 20, 25, 40]) {
    const ring = filled(count, 10);
    assert.equal(ring.since(ring.seq - 10)?.length, 10, `${count} frames`);
    assert.equal(ring.since(ring.seq - 11), undefined, `${count} frames`);
  }
});

test('numbers of an earlier process and of the future lead to a resync', () => {
  const ring = filled(3, 10);
  assert.equal(ring.since(0), undefined);
  assert.equal(ring.since(ring.seq + 1), undefined);
  const later = new FrameRing({ capacity: 10, bootedAt: new Date(bootedAt.getTime() + 5_000) });
  assert.equal(later.since(ring.seq), undefined);
});

test('a ring that has dropped its frames leads to a resync, then counts on', () => {
  const ring = filled(3, 10);
  const before = ring.seq;
  ring.forget();
  assert.equal(ring.since(before), undefined);
  assert.deepEqual(ring.since(ring.seq), []);
});

test('a new ring has nothing to replay and nothing missed', () => {
  const ring = filled(0, 10);
  assert.deepEqual(ring.since(ring.seq), []);
});
