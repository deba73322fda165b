import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBacklog } from './backlog.ts';

test('jobs are done later, once and in order, and what one throws is told', async () => {
  const [done, faults]: [number[], unknown[]] = [[], []];
  const { promise, resolve } = Promise.withResolvers<void>();
  const later = createBacklog((error) => faults.push(error));
  const fault = new Error('the last of its turn');
  for (let nth = 0; nth < 100; nth++)
    later(() => {
      done.push(nth);
      if (nth === 19) throw fault;
    });
  later(resolve);
  assert.deepEqual(done, []);
  await promise;
  assert.deepEqual(
    done,
    Array.from({ length: 100 }, (_, nth) => nth),
  );
  assert.deepEqual(faults, [fault]);
});
