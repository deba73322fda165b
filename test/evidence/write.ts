import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { ROOT, readSourceFiles } from '#test/harness/source-files.ts';
import { type Outcome, pageOf, type Proof, proofs } from './evidence.ts';

const USAGE = `npm run evidence -- [--days N] [--seeds N] [--walks N]
  --days N   days of the recorded month that live trading and the backtest replay (default 30)
  --seeds N  schedules of faults to run (default 200)
  --walks N  random walks that each search of a sweep tries (default 200)
Writes docs/evidence.md when every run succeeded, and nothing otherwise.`;

const { values } = parseArgs({
  options: {
    days: { type: 'string', default: '30' },
    seeds: { type: 'string', default: '200' },
    walks: { type: 'string', default: '200' },
    help: { type: 'boolean', default: false },
  },
});

process.exitCode = values.help ? help() : await main();

function help(): number {
  console.log(USAGE);
  return 0;
}

async function main(): Promise<number> {
  const published = readSourceFiles('.test.ts')
    .filter(({ text }) => text.includes("test('the published "))
    .map(({ path }) => path);
  const outcomes: Outcome[] = [];
  const effort = { days: Number(values.days), seeds: Number(values.seeds), walks: Number(values.walks), published };
  for (const proof of proofs(effort)) {
    console.log(`${proof.command} …`);
    const sentence = await outcomeOf(proof);
    if (sentence === undefined) return 1;
    console.log(`  ${sentence}`);
    outcomes.push({ proof, sentence, day: new Date().toISOString().slice(0, 10) });
  }
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));
  writeFileSync(join(ROOT, 'docs', 'evidence.md'), pageOf(version, outcomes));
  return 0;
}

/** Undefined, with what the run printed, when it failed or left its outcome unsaid. */
async function outcomeOf({ args, env, command, read }: Proof): Promise<string | undefined> {
  const child = spawn(process.execPath, args, {
    ...{ cwd: ROOT, env: { ...process.env, ...env } },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => output.push(text));
  const ended: unknown[] = await once(child, 'close');
  const printed = output.join('');
  const sentence = ended[0] === 0 ? read(printed) : undefined;
  if (sentence === undefined) console.error(`${printed}\n${command} did not succeed: docs/evidence.md stays as it is.`);
  return sentence;
}
