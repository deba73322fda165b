import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LoggedStep } from '#test/faults/protocol-log.ts';
import { orderByBackup } from './backup-place.ts';

const orderIs = (id: string, state: string, filled: string) => ({
  ...{ id, state, filled_quantity: filled, exchange_order_id: state === 'intent' ? null : `of ${id}` },
});
/** Steps of the log as `transaction`, kind and detail; one each millisecond. */
const logOf = (...steps: readonly (readonly [string, string, object])[]): LoggedStep[] =>
  steps.map(([transaction, kind, detail], atMs) => ({ atMs, transaction, kind, detail }));
const run = (logged: readonly LoggedStep[]) =>
  orderByBackup({ seed: 0, pace: 1, logged, seen: [{ atMs: 0, kind: 'backed-up' }] });
const textOf = (steps: readonly LoggedStep[]): string[] =>
  steps.map(({ transaction, kind }) => `${transaction}: ${kind}`);

const INSERTED = ['1', 'orders insert', orderIs('a', 'open', '0')] as const;
const FILL = ['2', 'fills insert', { order_id: 'a' }] as const;
const COMMITTED = ['3', 'orders insert', orderIs('b', 'intent', '0')] as const;
const BOOKED = ['2', 'orders update', orderIs('a', 'filled', '1')] as const;
const restored = (...orders: readonly object[]) => ['9', 'restored', { orders }] as const;

test('a log without a restore stays as it is, and no step is the backup', () => {
  const logged = logOf(INSERTED, FILL, COMMITTED, BOOKED);
  assert.deepEqual(run(logged), { logged, saved: undefined });
});

test('a backup comes after the last step that it holds', () => {
  const logged = logOf(
    INSERTED,
    COMMITTED,
    FILL,
    BOOKED,
    restored(orderIs('a', 'open', '0'), orderIs('b', 'intent', '0')),
  );
  assert.deepEqual(run(logged), { logged, saved: 2 });
});

test('a transaction that was open when the backup was taken comes after the backup, with all its steps', () => {
  const logged = logOf(
    INSERTED,
    FILL,
    COMMITTED,
    BOOKED,
    restored(orderIs('a', 'open', '0'), orderIs('b', 'intent', '0.0')),
  );
  const { logged: ordered, saved } = run(logged);
  assert.equal(saved, 2);
  assert.deepEqual(textOf(ordered), [
    ...['1: orders insert', '3: orders insert', '2: fills insert', '2: orders update', '9: restored'],
  ]);
});
