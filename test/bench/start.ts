import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { z } from 'zod';
import { listAccounts } from '#api/contract/accounts.ts';
import { signUp } from '#api/contract/session.ts';
import { listSymbols } from '#api/contract/records.ts';
import { createClient } from '#test/flow/client.ts';
import { startProfile } from '#test/flow/profile.ts';
import { until } from '#test/flow/until.ts';
import { findProgram } from '#test/harness/programs.ts';
import { ROOT, type Start, Trial } from '#test/start/trial.ts';
import { report, reportAbsent } from './report.ts';

/**
 * The start that a new operator waits for, and its cost afterwards: `npm start` in a clone of this commit, cold (no packages, no data, but a
 * warm cache of npm) and warm; memory of all its processes once it has been idle for a minute, and its commits with 20 quiet coins.
 */
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);
const IDLE_MS = 60_000;
const COINS = 20;
const LIMIT_MS = 600_000;

/** Variables that npm and this checkout set for the programs below them; the registry stays. */
const OF_THIS_CHECKOUT =
  /^(npm_(?!config_(registry|cache|cafile|proxy|https_proxy)$)|INIT_CWD$|NODE_COMPILE_CACHE$|TEST_)/i;

function reasonNotToRun(): string | undefined {
  if (!existsSync('/proc/self/smaps_rollup'))
    return 'This system has no /proc/PID/smaps_rollup, which memory is read from.';
  if (!existsSync(join(ROOT, '.git'))) return 'This is no checkout that can be cloned.';
  return findProgram(['npm']) === undefined ? 'npm is not on this machine.' : undefined;
}

interface Process {
  readonly pid: number;
  readonly parent: number;
}

function processes(): Process[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
      return [{ pid: Number(pid), parent: Number(fields[1]) }];
    } catch {
      // It ended meanwhile.
      return [];
    }
  });
}

/** The process and everything below it. */
function treeOf(root: number): number[] {
  const all = processes();
  const below = (pid: number): number[] => [
    pid,
    ...all.filter(({ parent }) => parent === pid).flatMap((each) => below(each.pid)),
  ];
  return below(root);
}

function textOf(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** Memory of a process tree in MB; what processes share is counted once. */
function memoryOf(root: number): number {
  const kilobytes = treeOf(root).map((pid) => Number(/^Pss:\s+(\d+) kB/m.exec(textOf(pid, 'smaps_rollup'))?.[1] ?? 0));
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1024;
}

/** The database of the service, as its worker was given it. */
function databaseOf(root: number): string {
  const worker = treeOf(root).find((pid) => textOf(pid, 'cmdline').includes('worker/main.ts'));
  const address =
    worker === undefined ? undefined : /^DATABASE_URL=(.+)$/m.exec(textOf(worker, 'environ').replaceAll('\0', '\n'));
  if (address?.[1] === undefined) throw new Error('No worker with a database runs.');
  return address[1];
}

const counted = z.tuple([z.object({ n: z.coerce.number() })]);

async function commitsASecond(url: string): Promise<number> {
  await using stack = new AsyncDisposableStack();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  stack.defer(() => client.end());
  const commits = async (): Promise<number> => {
    const { rows } = await client.query(
      'select xact_commit as n from pg_stat_database where datname = current_database()',
    );
    return counted.parse(rows)[0].n;
  };
  const before = await commits();
  await delay(IDLE_MS);
  // One of them is the first count.
  return ((await commits()) - before - 1) / (IDLE_MS / 1000);
}

/** The service with a profile of 20 coins that buys nothing, and no browser. */
async function settle(url: string): Promise<void> {
  const client = createClient(`${url}/api`);
  await client.call(signUp, { body: { email: 'operator@example.org', password: 'a long enough password' } });
  const [account] = (await client.call(listAccounts, {})).accounts;
  if (account === undefined) throw new Error('Signing up made no account.');
  const own = { ...client, accountId: account.id };
  // The worker keeps the trading rules once it has taken the account.
  const coins = await until(`${COINS} listed coins`, async () => {
    const { symbols } = await client.call(listSymbols, { query: { accountId: account.id } });
    const traded = symbols.filter(({ quoteAsset }) => quoteAsset === 'USDT').map(({ symbol }) => symbol);
    return traded.length >= COINS && traded.slice(0, COINS);
  });
  await startProfile(own, coins, { config: { buy: { enabled: false } } });
  await delay(IDLE_MS);
}

async function stop(trial: Trial, start: Start): Promise<void> {
  start.signalGroup('SIGINT');
  await start.ended();
  await trial.nothingLives();
}

async function main(): Promise<void> {
  await using trial = new Trial();
  const clone = join(trial.folder, 'tradewind');
  execFileSync('git', ['clone', '--quiet', '--no-hardlinks', ROOT, clone]);
  const startNow = async (): Promise<{ readonly start: Start; readonly url: string; readonly seconds: number }> => {
    const startedMs = performance.now();
    const flags = ['--data-dir', trial.dataDir, '--port', '0', '--no-open'];
    const start = trial.run('npm', ['--prefix', clone, 'start', '--', ...flags]);
    const url = await start.url(LIMIT_MS);
    return { start, url, seconds: (performance.now() - startedMs) / 1000 };
  };
  const [cold, warm]: [number[], number[]] = [[], []];
  // The first one fills the cache of npm.
  for (let round = -1; round < ROUNDS; round++) {
    for (const folder of [join(clone, 'node_modules'), trial.dataDir]) rmSync(folder, { recursive: true, force: true });
    const first = await startNow();
    await stop(trial, first.start);
    const second = await startNow();
    await stop(trial, second.start);
    console.log(`cold start ${first.seconds.toFixed(1)} s, warm start ${second.seconds.toFixed(1)} s`);
    if (round < 0) continue;
    cold.push(first.seconds);
    warm.push(second.seconds);
  }
  const where = '`npm start` until it serves';
  report({ id: 'start.cold', what: `${where}, in a new clone with a warm cache of npm`, unit: 's', values: cold });
  report({ id: 'start.warm', what: `${where}, once it has run`, unit: 's', values: warm });
  rmSync(trial.dataDir, { recursive: true, force: true });
  const { start, url } = await startNow();
  const root = start.child.pid ?? 0;
  await delay(IDLE_MS);
  const idle = memoryOf(root);
  await settle(url);
  const withCoins = memoryOf(root);
  const commits = await commitsASecond(databaseOf(root));
  await stop(trial, start);
  console.log(
    `idle ${idle.toFixed(0)} MB, with ${COINS} coins ${withCoins.toFixed(0)} MB and ${commits.toFixed(1)} commits a second`,
  );
  const memory = 'memory of all its processes with the embedded PostgreSQL (PSS)';
  report({ id: 'start.memory', what: `${memory}, idle for a minute`, unit: 'MB', values: [idle] });
  report({
    id: 'start.memory-coins',
    what: `${memory}, a minute after 20 coins started`,
    unit: 'MB',
    values: [withCoins],
  });
  report({
    id: 'start.commits',
    what: 'commits with 20 quiet coins and no browser',
    unit: 'a second',
    values: [commits],
  });
}

const reason = reasonNotToRun();
if (reason === undefined) {
  for (const name of Object.keys(process.env)) if (OF_THIS_CHECKOUT.test(name)) delete process.env[name];
  await main();
} else reportAbsent(reason);
