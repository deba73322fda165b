import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findProgram } from '#test/harness/programs.ts';
import { OPERATOR, skip, statusOf, Visitor } from './stranger.ts';
import { ROOT, Trial } from './trial.ts';

const missing = ['bash', 'npx', 'sha256sum'].filter((name) => findProgram([name]) === undefined);
const reason = missing.length > 0 ? `not on this machine: ${missing.join(', ')}` : skip;

test('the tarball of a release, installed by npm in an empty folder, starts, and its operator signs up', {
  skip: reason,
}, async () => {
  await using trial = new Trial();
  const at = (name: string): string => join(trial.folder, name);
  execFileSync('git', ['clone', '--quiet', ROOT, at('clone')]);
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();
  const cwd = at('empty');
  mkdirSync(cwd);
  const made = await trial.run('bash', [at('clone/.ci/release'), at('release')]).ended();
  assert.equal(made.code, 0, made.output);
  const tarball = readdirSync(at('release')).find((name) => name.endsWith('.tar.gz')) ?? '';
  const installed = await trial.run('npm', ['install', '--prefix', cwd, join(at('release'), tarball)]).ended();
  assert.equal(installed.code, 0, installed.output);

  const command = `cd '${cwd}' && exec npx tradewind start --port 0 --no-open`;
  const start = trial.run('bash', ['-c', command], { XDG_CACHE_HOME: at('cache') });
  const visitor = new Visitor(await start.url());
  await visitor.send('POST', '/auth/sign-up', OPERATOR);
  assert.deepEqual((await statusOf(visitor)).shas, [commit, commit]);
  const page = await fetch(await start.url());
  assert.match(await page.text(), /<title>Tradewind<\/title>/);
  assert.ok(existsSync(join(cwd, '.tradewind')), 'the data is in the folder where it was started');
  start.signalGroup('SIGTERM');
  await start.ended();
  await trial.nothingLives();
});
