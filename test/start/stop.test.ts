import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '#test/flow/until.ts';
import { findSupervisor, Trial } from './trial.ts';

test('Ctrl-C under npm stops everything, and a second start before that is refused', async () => {
  await using trial = new Trial();
  const flags = ['--data-dir', trial.dataDir, '--port', '0', '--no-open'];
  const first = trial.run('npm', ['start', '--silent', '--', ...flags]);
  const url = await first.url();
  const page = await fetch(url);
  assert.match(await page.text(), /<title>Tradewind<\/title>/);
  assert.equal((await fetch(`${url}/api/status`)).status, 200);
  assert.equal(
    statSync(join(trial.dataDir, 'paper-accounts.json')).mode & 0o077,
    0,
    'only the operator reads the keys',
  );

  const second = await trial.start().ended();
  const pid = findSupervisor(trial);
  assert.equal(
    second.output,
    `Tradewind already runs at ${url} with this data folder (process ${pid}, ${trial.dataDir}); stop it first, or set another --data-dir and --port.\n`,
  );
  assert.equal(second.code, 1);

  first.signalGroup('SIGINT');
  await first.ended();
  await trial.nothingLives();
  assert.equal(first.output.match(/https?:\/\//g)?.length, 1, 'the address is printed once');
  assert.doesNotMatch(first.output, /started again|ended/);
});

test('a stop while everything is still starting leaves nothing behind and exits 0', async () => {
  await using trial = new Trial();
  const start = trial.start();
  await until('the first line', () => start.output.includes('Tradewind'));
  start.child.kill('SIGTERM');
  const { code } = await start.ended();
  assert.equal(code, 0);
  await trial.nothingLives();
});

test('a SIGTERM that only npm hears stops everything', async () => {
  await using trial = new Trial();
  const flags = ['--data-dir', trial.dataDir, '--port', '0', '--no-open'];
  const start = trial.run('npm', ['start', '--silent', '--', ...flags]);
  await start.url();
  start.child.kill('SIGTERM');
  await trial.nothingLives();
});

test('kill -9 of the supervisor leaves no process behind, and the next start takes over', async () => {
  await using trial = new Trial();
  const start = trial.start();
  await start.url();
  process.kill(findSupervisor(trial), 'SIGKILL');
  assert.equal((await start.ended()).code, 137);
  const next = trial.start();
  await next.url();
  process.kill(findSupervisor(trial), 'SIGKILL');
  await trial.nothingLives();
});

test('kill -9 of the bootstrap stops everything', async () => {
  await using trial = new Trial();
  const start = trial.start();
  await start.url();
  start.child.kill('SIGKILL');
  await trial.nothingLives();
});
