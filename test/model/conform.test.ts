import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { ROOT } from '#test/harness/source-files.ts';
import { notInstalled } from './quint.ts';

/** `npm run model -- --conform 500` replays more. */
const RUNS = 20;
/** Bugs whose schedules meet the order every time. */
const BUGS = ['absence-believed-at-once', 'unknown-counts-as-rejected', 'list-placed-over-a-sale'];

async function runModel(
  ...args: readonly string[]
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(process.execPath, ['test/model/run.ts', ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await once(child, 'close');
  return { code: child.exitCode, output };
}

describe('runs of the engine under faults', { skip: notInstalled, timeout: 1_200_000 }, () => {
  test(`${RUNS} recorded runs take only steps that the model allows`, async () => {
    const { code, output } = await runModel('--conform', String(RUNS));
    assert.equal(code, 0, output);
    const [, replayed] = /^(\d+) recorded runs replayed, 0 refused/m.exec(output) ?? [];
    assert.ok(Number(replayed) >= RUNS, output);
  });

  for (const bug of BUGS)
    test(`the model refuses a step of an engine with the bug ${bug}`, async () => {
      const { code, output } = await runModel('--conform', '6', '--jobs', '1', '--plant', bug);
      assert.equal(code, 1, output);
      assert.match(output, /^The model refuses step \d+ of the run of seed \d+:/m);
    });
});
