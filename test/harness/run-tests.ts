import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { ROOT } from './source-files.ts';
import { NOTHING, type Tally } from './tally.ts';

/** Timeout of a test: one that hangs fails instead of blocking the rest. */
const LONGEST_MS = 400_000;

/**
 * Runs each test file in its own process and prints node's report. A file without output has failed: node itself counts
 * neither its tests nor the missing output.
 */
export async function runTests(paths: readonly string[], signal: AbortSignal): Promise<Tally> {
  if (paths.length === 0 || signal.aborted) return NOTHING;
  const silent = new Set(paths.map((path) => join(ROOT, path)));
  const stream = run({
    files: [...silent],
    // Many tests wait for a clock, a lease or a browser: one process more than there are cores.
    concurrency: availableParallelism() + 1,
    cwd: ROOT,
    signal,
    timeout: LONGEST_MS,
    execArgv: ['--import', join(ROOT, 'test', 'harness', 'leftovers.ts')],
  });
  let tally = NOTHING;
  stream.on('test:summary', ({ file, counts }) => {
    if (file !== undefined) {
      silent.delete(file);
      return;
    }
    const failed = counts.tests - counts.passed - counts.skipped - counts.todo;
    tally = { passed: counts.passed, failed, skipped: counts.skipped + counts.todo };
  });
  for await (const text of stream.compose(spec)) process.stdout.write(String(text));
  for (const file of silent) console.log(`✖ ${file} reported no tests`);
  return { ...tally, failed: tally.failed + silent.size };
}
