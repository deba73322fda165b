import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '#test/flow/until.ts';
import {
  cloneIt,
  FIRST_START_MS,
  fills,
  git,
  onboard,
  OPERATOR,
  skip,
  startService,
  statusOf,
  stopService,
  TRADE_MS,
  trial,
  typed,
  useStranger,
  Visitor,
} from './stranger.ts';

useStranger();
const OPTIONS = { skip, timeout: 390_000 };
let profileId = '';

test('clone, start, onboard, first trade, download a backup, stop', OPTIONS, async () => {
  const commit = git('rev-parse', 'HEAD');
  await cloneIt(commit);
  const start = startService('data');
  const visitor = new Visitor(await start.url(FIRST_START_MS));
  profileId = await onboard(visitor);
  await until('api and worker to be of this commit', async () =>
    (await statusOf(visitor)).shas.every((sha) => sha === commit),
  );
  const backup = await visitor.send('GET', '/backup');
  execFileSync('tee', [join(trial.folder, 'backup')], {
    input: await backup.bytes(),
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  await stopService(start);
});

test('the backup is restored into another data folder, and trades on once it is released', OPTIONS, async () => {
  // The paper exchange keeps its own books, as the real one would; a backup does not hold them.
  await typed('mkdir other && cp -r data/paper data/paper-accounts.json other/');
  const start = startService('other');
  const visitor = new Visitor(await start.url());
  await visitor.send('POST', '/auth/sign-up', { email: 'new@example.org', password: 'of the empty installation' });
  await visitor.send('POST', '/restore', readFileSync(join(trial.folder, 'backup')));
  await visitor.send('POST', '/auth/sign-in', OPERATOR);
  assert.ok((await fills(visitor, profileId)) > 0, 'the trades came with it');
  await visitor.send('PUT', '/kill-switch', { engaged: false });
  const restored = await fills(visitor, profileId);
  await until('it trades on', async () => (await fills(visitor, profileId)) > restored, TRADE_MS);
  await stopService(start);
});
