import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { ROOT } from '#test/harness/source-files.ts';
import { PLANTED } from './planted.ts';

/** Schedules per bug: whether the fault meets the order at the right moment depends on the machine. */
const TRIES = 20;

const skip =
  process.env['FAULT_PLANTS'] === '1'
    ? false
    : 'minutes of work that prove the oracle, not the product: FAULT_PLANTS=1';

describe('the oracle objects to every planted bug', { concurrency: 2, skip }, () => {
  for (const [name, { cell, says }] of Object.entries(PLANTED)) {
    test(name, async () => {
      const args = ['--plant', name, '--cell', cell, '--from', '0', '--seeds', String(TRIES), '--jobs', '3'];
      const child = spawn(process.execPath, ['test/faults/run.ts', ...args], {
        cwd: ROOT,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let output = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
      await once(child, 'close');
      assert.equal(child.exitCode, 1, output);
      const verdicts = output.split('\n').filter((line) => line.startsWith('FAILED'));
      assert.ok(
        verdicts.some((verdict) => says.test(verdict)),
        output,
      );
    });
  }
});
