import { type ChildProcess, fork } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = realpathSync(resolve(import.meta.dirname, '..', '..'));
/** The code that such a process reads: nothing that the operator keeps is among it. */
const READABLE = ['authoring', 'core', 'strategies', 'worker/strategy', 'node_modules', 'package.json'];
/** The one library of that code: where node_modules is a link, it lies outside of the root. */
const LIBRARY = realpathSync(dirname(fileURLToPath(import.meta.resolve('zod/package.json'))));

/**
 * Starts a program that runs a strategy file in a process without environment, child processes and threads, and by Node's
 * permission model without files but its own code. A thread would not do: when its file takes all memory, the whole
 * process may end. `more` are further readable folders of the code; `memoryMb` limits its JavaScript objects.
 */
export function startLimited(program: URL, memoryMb: number, more: readonly string[] = []): ChildProcess {
  const paths = [...READABLE, ...more].map((path) => join(ROOT, path));
  const readable = [...paths, LIBRARY].map((path) => `--allow-fs-read=${path}`);
  return fork(program, {
    execArgv: [
      ...['--permission', ...readable, `--max-old-space-size=${memoryMb}`],
      ...['--disable-warning=ExperimentalWarning', '--disable-warning=SecurityWarning'],
    ],
    env: {},
    cwd: ROOT,
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}
