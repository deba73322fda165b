import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { toolScript } from './programs.ts';
import { ROOT } from './source-files.ts';
import { addTallies, NOTHING, type Tally } from './tally.ts';

interface Check {
  readonly name: string;
  readonly script: string;
  readonly args: readonly string[];
  /** Advice after a failure. */
  readonly advice: string;
}

const checks = (): Check[] => [
  { name: 'types', script: toolScript('typescript', 'tsc'), args: ['--noEmit'], advice: 'fix the types' },
  { name: 'lint', script: toolScript('oxlint', 'oxlint'), args: ['--type-aware'], advice: 'fix the findings' },
  { name: 'words', script: join(ROOT, 'test', 'language', 'check.ts'), args: [], advice: 'use the better words' },
  { name: 'format', script: toolScript('@biomejs/biome', 'biome'), args: ['format', '.'], advice: 'npm run format' },
  {
    name: 'unused',
    script: toolScript('knip', 'knip'),
    args: ['--no-config-hints'],
    advice: 'remove unused code',
  },
];

async function runCheck({ name, script, args, advice }: Check, signal: AbortSignal): Promise<Tally> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, [script, ...args], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], signal });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => output.push(text));
  child.on('error', (error) => output.push(error.message));
  const ended: unknown[] = await once(child, 'close');
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  if (ended[0] === 0) {
    console.log(`✔ ${name} (${seconds} s)`);
    return { ...NOTHING, passed: 1 };
  }
  console.log(`${output.join('')}\n✖ ${name} (${seconds} s): ${advice}`);
  return { ...NOTHING, failed: 1 };
}

/** Types, lint, words, format and unused code, two at a time; each counts as one. */
export async function runChecks(signal: AbortSignal): Promise<Tally> {
  const waiting = checks();
  const lane = async (): Promise<Tally> => {
    const next = signal.aborted ? undefined : waiting.shift();
    return next === undefined ? NOTHING : addTallies(await runCheck(next, signal), await lane());
  };
  return addTallies(...(await Promise.all([lane(), lane()])));
}
