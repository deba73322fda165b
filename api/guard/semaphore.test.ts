import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Semaphore } from './semaphore.ts';

/** Work that lasts until it is released. */
function held(): { readonly work: () => Promise<string>; readonly release: (text: string) => void } {
  const { promise, resolve } = Promise.withResolvers<string>();
  return { work: () => promise, release: resolve };
}

test('so many run at a time, the others wait in order, and one too many is refused', async () => {
  const turns = new Semaphore(1, 2);
  const first = held();
  const order: string[] = [];
  const running = turns.take(first.work);
  const waiting = ['second', 'third'].map((name) => turns.take(async () => order.push(name)));
  await assert.rejects(
    turns.take(async () => order.push('fourth')),
    { code: 'too_many_requests', headers: { 'retry-after': '1' } },
  );
  const patient = turns.take(async () => order.push('patient'), { patient: true });
  assert.deepEqual(order, [], 'they wait');
  first.release('done');
  assert.equal(await running, 'done');
  await Promise.all([...waiting, patient]);
  assert.deepEqual(order, ['second', 'third', 'patient']);
});

test('work that fails gives its turn away', async () => {
  const turns = new Semaphore(1, 0);
  await assert.rejects(
    turns.take(() => Promise.reject(new Error('no'))),
    /no/,
  );
  assert.equal(await turns.take(async () => 'next'), 'next');
});
