import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from '#test/harness/programs.ts';

/** Longest path of the search, in steps. */
const DEPTH = 1_000_000;
const [spin, compiler] = [findProgram(['spin']), findProgram(['gcc', 'cc', 'clang'])];

/** The reason why the core cannot be checked here, or false: the value of a test's `skip`. */
export const noSpin: string | false =
  spin !== undefined && compiler !== undefined
    ? false
    : 'the exhaustive check of the core needs spin and a C compiler (Debian: apt-get install spin gcc)';

/** The exhaustive models and the rules of each that can be left out. */
export const CORES = {
  'core.pml': ['NO_LOCK', 'NO_FENCING', 'RESEND', 'IMPATIENT'],
  'lists.pml': ['APART', 'UNCLEARED', 'EARLY', 'RESEND', 'IMPATIENT'],
} as const;
type Core = keyof typeof CORES;
export const CORE_NAMES: readonly Core[] = ['core.pml', 'lists.pml'];

const run = promisify(execFile);

/** Visits every state of a model, without the rule `leftOut` where one is named. `holds`: no state breaks a claim. */
export async function checkCore(
  name: Core,
  leftOut?: string,
): Promise<{ readonly holds: boolean; readonly states: number }> {
  if (spin === undefined || compiler === undefined) throw new Error('spin or a C compiler is missing.');
  const folder = await mkdtemp(join(tmpdir(), 'tradewind-core-'));
  try {
    const options = { cwd: folder };
    await run(
      spin,
      [...(leftOut === undefined ? [] : [`-D${leftOut}`]), '-a', join(import.meta.dirname, name)],
      options,
    );
    await run(compiler, ['-O2', '-DSAFETY', '-o', 'pan', 'pan.c'], options);
    const { stdout } = await run(join(folder, 'pan'), [`-m${DEPTH}`], options);
    const errors = /errors: (\d+)/.exec(stdout)?.[1];
    const states = /(\d+) states, stored/.exec(stdout)?.[1];
    const complete = !/max search depth too small|search not completed/i.test(stdout) || errors !== '0';
    if (errors === undefined || states === undefined || !complete) throw new Error(stdout);
    return { holds: errors === '0', states: Number(states) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
