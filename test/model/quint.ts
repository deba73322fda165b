import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PROGRAM = join(
  import.meta.dirname,
  'checker',
  'node_modules',
  '@informalsystems',
  'quint',
  'dist',
  'src',
  'cli.js',
);
export const MODEL = join(import.meta.dirname, 'orders.qnt');

/** The reason why the model cannot be checked here, or false: the value of a test's `skip`. */
export const notInstalled: string | false = existsSync(PROGRAM)
  ? false
  : 'the checker of the model is missing: node cli/tradewind.js node test/model/install.ts';

interface Checked {
  readonly ok: boolean;
  /** Everything that the checker printed. */
  readonly output: string;
}

/** Runs one command of the checker in a process of its own. */
export async function quint(command: string, ...args: readonly string[]): Promise<Checked> {
  if (notInstalled !== false) throw new Error(notInstalled);
  // The other evaluator is a program that the checker downloads.
  const all = [PROGRAM, command, ...args, '--backend=typescript'];
  // Into a file: what is still on its way into a pipe is lost when the checker ends.
  const folder = await mkdtemp(join(tmpdir(), 'tradewind-checker-'));
  const file = await open(join(folder, 'output'), 'w+');
  try {
    const child = spawn(process.execPath, all, { stdio: ['ignore', file.fd, file.fd] });
    await once(child, 'exit');
    return { ok: child.exitCode === 0, output: await readFile(join(folder, 'output'), 'utf8') };
  } finally {
    await file.close();
    await rm(folder, { recursive: true, force: true });
  }
}
