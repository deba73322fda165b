import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { provideDatabase } from '#test/harness/servers.ts';
import { ROOT } from '#test/harness/source-files.ts';
import { type Bench, BENCHES, FIGURES_FILE, readFigures, type Run, tableOf, withOutcome } from './figures.ts';
import { REPORT_FILE, readReport } from './report.ts';

const USAGE = `npm run bench -- [bench …] [--write]
Runs the benches one after the other and prints the table of docs/performance.md: ${BENCHES.join(', ')}.
--write keeps the figures in test/bench/figures.json, from which npm run documents makes the table.`;

/** A bench that hangs does not keep the others from running. */
const LIMIT_MS = 40 * 60_000;

/** Variables with which a bench does less than what its figures say. */
const SMALLER = /^(BENCH_(COINS|ROUNDS|PARTS|MARKET_MINUTES|CLOCK_MINUTES)|BACKUP_BENCH_MB)$/;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
});

function problemsOf(): string[] {
  const isBench = (name: string): boolean => BENCHES.some((bench) => bench === name);
  const unknown = positionals.filter((name) => !isBench(name));
  const smaller = values.write ? Object.keys(process.env).filter((name) => SMALLER.test(name)) : [];
  return [
    ...unknown.map((name) => `There is no bench "${name}": name some of ${BENCHES.join(', ')}.`),
    ...smaller.map((name) => `${name} is set, so the bench measures something else: unset it, or leave --write out.`),
  ];
}

async function postgresVersion(): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const client = new pg.Client({ connectionString: await provideDatabase(stack, new AbortController().signal) });
  await client.connect();
  stack.defer(() => client.end());
  const { rows } = await client.query<{ server_version: string }>('show server_version');
  return rows[0]?.server_version.split(' ')[0] ?? '';
}

function commitOf(): string {
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  if (!existsSync(join(ROOT, '.git'))) return 'of a release';
  const changed = git('status', '--porcelain', '--untracked-files=no', '--', '.', ':!test/bench/figures.json');
  return `${git('rev-parse', '--short=8', 'HEAD')}${changed === '' ? '' : ' with changes'}`;
}

async function runOf(): Promise<Run> {
  const [load = 0] = loadavg();
  const at = new Date().toISOString();
  return {
    ...{ name: at, date: at.slice(0, 10), commit: commitOf(), cores: availableParallelism() },
    ...{ memoryGb: Math.round(totalmem() / 2 ** 30), node: process.versions.node, postgres: await postgresVersion() },
    load: Number(load.toFixed(2)),
  };
}

/** Runs one bench with its output on the terminal. */
async function runBench(bench: Bench, file: string): Promise<Parameters<typeof withOutcome>[2]> {
  console.log(`\n${bench}`);
  const child = spawn(process.execPath, [join('test', 'bench', `${bench}.ts`)], {
    ...{ cwd: ROOT, stdio: 'inherit', timeout: LIMIT_MS, env: { ...process.env, [REPORT_FILE]: file } },
  });
  await once(child, 'exit');
  const { exitCode, signalCode } = child;
  const found = existsSync(file) ? readReport(readFileSync(file, 'utf8')) : { figures: [] };
  const failed = exitCode === 0 ? {} : { absent: `the bench ended with ${signalCode ?? exitCode}` };
  return { bench, ...failed, ...found };
}

async function main(): Promise<number> {
  const problems = problemsOf();
  if (values.help || problems.length > 0) {
    console.log([...problems, USAGE].join('\n'));
    return problems.length === 0 ? 0 : 1;
  }
  using folder = mkdtempDisposableSync(join(tmpdir(), 'tradewind-bench-'));
  const benches = BENCHES.filter((bench) => positionals.length === 0 || positionals.includes(bench));
  const run = await runOf();
  let figures = readFigures();
  for (const bench of benches) {
    figures = withOutcome(figures, run, await runBench(bench, join(folder.path, bench)));
    // After each: a run that is stopped keeps what it has measured.
    if (values.write) writeFileSync(FIGURES_FILE, `${JSON.stringify(figures, null, 2)}\n`);
  }
  console.log(`\n${tableOf(figures, benches)}`);
  if (values.write) console.log('\nWritten to test/bench/figures.json; npm run documents puts the table on its page.');
  return benches.some((bench) => figures.absent[bench]?.reason.startsWith('the bench ended')) ? 1 : 0;
}

process.exitCode = await main();
