import assert from 'node:assert/strict';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { lowDiskWarning, openDataFolder } from '#cli/start/data-folder.ts';
import { noDiskReason, smallDisk } from './small-disk.ts';
import { ROOT, Trial } from './trial.ts';

const skip = noDiskReason();
if (skip !== false) console.log(`﹣ full and read-only disks: ${skip}, so they are not tested here`);

test('a disk without room for a new installation ends the start with one sentence, before anything is written', {
  skip,
}, async () => {
  await using trial = new Trial();
  using stack = new DisposableStack();
  const folder = smallDisk(stack, trial, 64);
  const ended = await trial.start(['--data-dir', folder]).ended();
  assert.match(
    ended.output,
    /^The disk of the data folder \S+ has \d+ MB free, but a new installation needs 250 MB; [^\n]+\n$/,
  );
  assert.equal(ended.code, 1);
  assert.deepEqual(readdirSync(folder), []);
});

test('an existing installation whose disk is nearly full opens with a warning', { skip }, async () => {
  await using trial = new Trial();
  using stack = new DisposableStack();
  const folder = smallDisk(stack, trial, 64);
  mkdirSync(join(folder, 'logs'));
  await using _owner = openDataFolder(folder);
  assert.match(lowDiskWarning(folder) ?? '', /^The disk of the data folder \S+ has only \d+ MB free: /);
});

test('a checkout that cannot be written starts the service', { skip }, async () => {
  await using trial = new Trial();
  const readOnly = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && ! touch "$1/x" 2>/dev/null && cd "$1"';
  const command = `${readOnly} && exec "$2" cli/tradewind.js start --port 0 --no-open --data-dir "$3"`;
  const words = ['--mount', 'bash', '-c', command, 'bash', ROOT, process.execPath, trial.dataDir];
  const start = trial.run('unshare', words);
  assert.equal((await fetch(`${await start.url()}/api/status`)).status, 200);
  start.signalGroup('SIGTERM');
  assert.equal((await start.ended()).code, 0);
  await trial.nothingLives();
});
