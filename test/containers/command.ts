import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';

interface CommandOptions {
  readonly cwd?: string;
  /** Added to the environment of the tests. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

interface Outcome {
  readonly code: number | null;
  /** Standard output and standard error, in the order they arrived. */
  readonly output: string;
}

/** Runs a program to its end; what it prints is kept, not shown. */
export async function run(words: readonly string[], { cwd, env, input }: CommandOptions = {}): Promise<Outcome> {
  const [program = '', ...args] = words;
  const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.on('error', () => undefined).end(input ?? '');
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  await once(child, 'close');
  return { code: child.exitCode, output };
}

/** Runs a program that must end with 0; returns its output without the last line break. */
export async function must(words: readonly string[], options: CommandOptions = {}): Promise<string> {
  const { code, output } = await run(words, options);
  assert.equal(code, 0, `${words.join(' ')}\n${output.slice(-6000)}`);
  return output.trimEnd();
}
