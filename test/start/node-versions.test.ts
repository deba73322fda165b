import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { findProgram } from '#test/harness/programs.ts';
import { ROOT, Trial } from './trial.ts';

const PACKAGE = `node-${process.platform}-${process.arch}`;
/** The oldest that the README names, the one after it, and the newest that exists. */
const VERSIONS = ['20', '22', 'latest'];
/** Too old to install the packages. */
const TOO_OLD = '18';

const npm = findProgram(['npm']);

/** Installs a Node from the package registry; returns its program, or why it cannot be had. */
function install(version: string, folder: string): { readonly program: string } | { readonly missing: string } {
  if (npm === undefined) return { missing: 'npm is not on this machine' };
  const flags = ['--prefix', folder, '--no-audit', '--no-fund', '--no-save', '--silent'];
  try {
    execFileSync(npm, ['install', ...flags, `${PACKAGE}@${version}`], { stdio: 'pipe', timeout: 120_000 });
  } catch (error) {
    return { missing: `${PACKAGE}@${version} could not be installed: ${String(error)}` };
  }
  return { program: join(folder, 'node_modules', PACKAGE, 'bin', 'node') };
}

for (const version of VERSIONS)
  test(`Node ${version} starts the service`, async (context) => {
    await using trial = new Trial();
    const node = install(version, join(trial.folder, 'node'));
    if ('missing' in node) {
      console.log(`﹣ the start with Node ${version}: ${node.missing}`);
      context.skip(node.missing);
      return;
    }
    const flags = ['start', '--data-dir', trial.dataDir, '--port', '0', '--no-open'];
    const start = trial.run(node.program, [join(ROOT, 'cli', 'tradewind.js'), ...flags]);
    const url = await start.url();
    assert.equal((await fetch(`${url}/api/status`)).status, 200);
    start.signalGroup('SIGTERM');
    assert.equal((await start.ended()).code, 0);
    await trial.nothingLives();
  });

test(`Node ${TOO_OLD} is refused in one sentence`, async (context) => {
  await using trial = new Trial();
  const node = install(TOO_OLD, join(trial.folder, 'node'));
  if ('missing' in node) {
    console.log(`﹣ the refusal of Node ${TOO_OLD}: ${node.missing}`);
    context.skip(node.missing);
    return;
  }
  const ended = await trial.run(node.program, [join(ROOT, 'cli', 'tradewind.js'), 'start']).ended();
  assert.match(ended.output, /^Tradewind needs Node 20 or newer to install itself, but this is Node 18\.[^\n]+\n$/);
  assert.equal(ended.code, 1);
});
