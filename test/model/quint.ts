import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
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
  const child = spawn(process.execPath, all, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  await once(child, 'close');
  return { ok: child.exitCode === 0, output };
}
