import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { OwnerLock } from './owner-lock.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tradewind-lock-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const module = JSON.stringify(join(import.meta.dirname, 'owner-lock.ts'));
const takeIt = `import { OwnerLock } from ${module};
const taken = OwnerLock.take(process.argv[1]);
process.stdout.write(taken.kind);`;

test('a second owner learns who the first is, until the first releases the folder', () => {
  const first = OwnerLock.take(folder, 'http://127.0.0.1:1');
  assert(first.kind === 'owned');
  const second = OwnerLock.take(folder);
  assert(second.kind === 'held');
  assert.equal(second.owner.pid, process.pid);
  assert.equal(second.owner.note, 'http://127.0.0.1:1');

  first.lock.describe('http://127.0.0.1:2');
  const third = OwnerLock.take(folder);
  assert(third.kind === 'held');
  assert.equal(third.owner.note, 'http://127.0.0.1:2');

  first.lock.release();
  assert.equal(OwnerLock.take(folder).kind, 'owned');
});

test('the folder of a dead owner is taken over', () => {
  const dead = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', takeIt, folder], {
    encoding: 'utf8',
  });
  assert.equal(dead.stdout, 'owned');
  assert.equal(OwnerLock.take(folder).kind, 'owned');
});

test('a living process that got the number of a dead owner is no owner', () => {
  writeFileSync(join(folder, 'owner.7.lock'), JSON.stringify({ pid: process.pid, birth: 'another boot:1', note: '' }));
  assert.equal(OwnerLock.take(folder).kind, 'owned');
});

test('a torn record has no owner', () => {
  writeFileSync(join(folder, 'owner.7.lock'), '{"pid":');
  assert.equal(OwnerLock.take(folder).kind, 'owned');
});

test('of many that come at once over a dead owner exactly one gets the folder', async () => {
  writeFileSync(join(folder, 'owner.3.lock'), JSON.stringify({ pid: 999_999_999, birth: 'x', note: '' }));
  const hold = `${takeIt}\nsetInterval(() => undefined, 1000);`;
  const rivals = Array.from({ length: 6 }, () =>
    spawn(process.execPath, ['--input-type=module-typescript', '-e', hold, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  try {
    const answers = await Promise.all(rivals.map(async ({ stdout }) => String((await once(stdout, 'data'))[0])));
    assert.deepEqual(answers.toSorted(), ['held', 'held', 'held', 'held', 'held', 'owned']);
  } finally {
    for (const rival of rivals) rival.kill('SIGKILL');
  }
});
