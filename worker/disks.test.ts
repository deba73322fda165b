import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { DiskWatch, readDisks } from './disks.ts';
import type { NotifyDeps } from './notify.ts';

/** Dependencies that keep the messages; a queue that is away keeps none. */
function openDeps(isAway = () => false) {
  const sent: string[] = [];
  const enqueue: NotifyDeps['queue']['enqueue'] = (_name, data) =>
    isAway() ? Promise.reject(new Error('away')) : Promise.resolve(void sent.push(JSON.stringify(data)));
  const log = { info() {}, warn() {}, error() {} };
  return { sent, deps: { liveDemo: false, queue: { enqueue }, log } satisfies NotifyDeps };
}

test('folders of one disk count once, and a folder that does not exist yet counts for its parent', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tradewind-disks-'));
  const [disk, ...others] = await readDisks([join(folder, 'new', 'deep'), folder]);
  assert.deepEqual([disk?.folder, others], [folder, []]);
  assert.ok((disk?.freeBytes ?? 0) > 0);
  await rm(folder, { recursive: true });
});

test('a disk with too little room is reported once, and again after it had enough', async () => {
  const { sent, deps } = openDeps();
  const limits: [number, number] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const watch = new DiskWatch([tmpdir()], deps, limits);
  for (let i = 0; i < 3; i++) await watch.check();
  assert.equal(sent.length, 1);
  assert.match(sent[0] ?? '', /"event":"disk-low".*has \d+ MB free.*no order is placed/);
  limits[1] = 0;
  await watch.check();
  assert.equal(sent.length, 2);
});

test('a disk with enough room is not reported', async () => {
  const { sent, deps } = openDeps();
  const watch = new DiskWatch([tmpdir()], deps, [0, 0]);
  await watch.check();
  assert.deepEqual(sent, []);
});

test('a message that could not be queued is tried again', async () => {
  let away = true;
  const { sent, deps } = openDeps(() => away);
  const watch = new DiskWatch([tmpdir()], deps, [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]);
  await assert.rejects(watch.check(), /away/);
  away = false;
  for (let i = 0; i < 2; i++) await watch.check();
  assert.equal(sent.length, 1);
});
