import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createAccount, listAccounts, saveApiKey } from '#api/contract/accounts.ts';
import { signUp } from '#api/contract/session.ts';
import { openTestDatabase } from '#test/harness/test-database.ts';
import type { Database } from '#storage/postgres/database.ts';
import { type Role, startRole } from '#test/deploy/role.ts';
import { type ApiClient, createClient } from '#test/flow/client.ts';
import { startProfile } from '#test/flow/profile.ts';
import { until } from '#test/flow/until.ts';
import { freePort, provideCache, provideDatabase } from '#test/harness/servers.ts';
import { usageOf } from './live-stage.ts';
import { startProgram } from './program.ts';

/**
 * How accounts spread over workers and what each of them costs: one PostgreSQL, one Redis or Valkey, one api, so many
 * workers as BENCH_WORKERS says, each count on a database of its own. Prints a row of a table for each.
 */
const WORKERS = (process.env['BENCH_WORKERS'] ?? '1,3').split(',').map(Number);
const ACCOUNTS = Number(process.env['BENCH_ACCOUNTS'] ?? 6);
const COINS = ['BTCUSDT', 'ETHUSDT', 'BNBUSDT', 'SOLUSDT', 'XRPUSDT'];
const MEASURE_MS = 20_000;

const names = Array.from({ length: ACCOUNTS }, (_, i) => `account ${i + 1}`);
const keyOf = (name: string) => ({ apiKey: `key of ${name}`, secret: `secret of ${name}` });

interface Stage {
  readonly database: Database;
  readonly api: Role;
  readonly workers: readonly Role[];
  readonly client: ApiClient;
}

/** The number `n` of the first row. */
const ask = async ({ database }: Pick<Stage, 'database'>, text: string): Promise<number> =>
  Number((await database.pool.query<{ n: string }>(text)).rows[0]?.n);

/** The processes, without any account but the first. */
async function open(stack: AsyncDisposableStack, count: number, folder: string): Promise<Stage> {
  const cacheUrl = process.env['TEST_CACHE_URL'] ?? '';
  const { url, database } = stack.use(await openTestDatabase());
  const accountsFile = join(folder, 'accounts.json');
  const held = names.map((name) => ({ name, ...keyOf(name), balances: { USDT: '10000' } }));
  writeFileSync(accountsFile, JSON.stringify(held));
  const flags = ['--accounts', accountsFile, '--source', 'synthetic', '--port', '0', '--control-port', '0'];
  const paper = stack.use(await startProgram('paper/main.ts', flags));
  const port = String(await freePort());
  const own = keyOf(names[0] ?? '');
  const env = {
    ...{ DATABASE_URL: url, CACHE_URL: cacheUrl, PORT: port, PAPER_URL: paper.rest, LOG_LEVEL: 'error' },
    ...{ PAPER_API_KEY: own.apiKey, PAPER_API_SECRET: own.secret, WEB_ORIGIN: `http://127.0.0.1:${port}` },
  };
  const api = stack.use(startRole('api', env));
  const client = createClient(`http://127.0.0.1:${port}/api`);
  await until('the api serves', () =>
    client.fetch('/status').then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  const workers = Array.from({ length: count }, (_, i) =>
    stack.use(startRole('worker', { ...env, WORKER_SLOT: `worker ${i + 1}` })),
  );
  const listening =
    "select count(*) as n from pg_stat_activity where datname = current_database() and application_name = 'tradewind-listen'";
  await until('every worker listens', async () => (await ask({ database }, listening)) >= count);
  return { database, api, workers, client };
}

/** An operator whose accounts all trade. */
async function settle(stage: Stage): Promise<void> {
  const { client } = stage;
  await client.call(signUp, { body: { email: 'operator@example.org', password: 'a long enough password' } });
  const [first] = (await client.call(listAccounts, {})).accounts;
  const ids = first === undefined ? [] : [first.id];
  for (const name of names.slice(1)) {
    const { id } = await client.call(createAccount, { body: { name, exchangeMode: 'testnet', endpoint: 'paper' } });
    await client.call(saveApiKey, { params: { id }, body: { ...keyOf(name), label: name } });
    ids.push(id);
  }
  for (const accountId of ids) await startProfile({ ...client, accountId }, COINS, { name: `of ${accountId}` });
  const leased = 'select count(*) as n from account_leases where expires_at > clock_timestamp()';
  await until('every account has a worker', async () => (await ask(stage, leased)) >= ACCOUNTS);
  await delay(5000);
}

async function measure(count: number, folder: string): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const stage = await open(stack, count, folder);
  await settle(stage);
  const { database, workers, api } = stage;
  const commits = 'select xact_commit as n from pg_stat_database where datname = current_database()';
  const before = await ask(stage, commits);
  const pids = [...workers, api].map(({ child }) => child.pid ?? 0);
  const used = pids.map((pid) => usageOf(pid).cpuMs);
  await delay(MEASURE_MS);
  const shares = pids.map((pid, i) => (usageOf(pid).cpuMs - (used[i] ?? 0)) / MEASURE_MS);
  const perSecond = ((await ask(stage, commits)) - before) / (MEASURE_MS / 1000);
  const spread = await database.pool.query<{ count: string }>(
    'select count(*) from account_leases where expires_at > clock_timestamp() group by holder order by 1 desc',
  );
  const connections = await ask(
    stage,
    "select count(*) as n from pg_stat_activity where datname = current_database() and application_name <> 'tradewind-test'",
  );
  const percent = shares.map((share) => `${(share * 100).toFixed(0)} %`);
  const rss = pids.slice(0, count).map((pid) => usageOf(pid).rssMb.toFixed(0));
  const cells = [
    count,
    spread.rows.map((row) => row.count).join(' + '),
    percent.slice(0, count).join(', '),
    percent.at(-1),
    `${rss.join(', ')} MB`,
    perSecond.toFixed(0),
    connections,
  ];
  return `| ${cells.join(' | ')} |`;
}

await using stack = new AsyncDisposableStack();
process.env['TEST_DATABASE_URL'] = await provideDatabase(stack, new AbortController().signal);
const cacheUrl = await provideCache(stack);
if (cacheUrl !== undefined) process.env['TEST_CACHE_URL'] = cacheUrl;
else console.log('﹣ no Redis or Valkey on this machine: the cache is in tables of the database');
using folder = mkdtempDisposableSync(join(tmpdir(), 'tradewind-scale-'));
console.log(`${ACCOUNTS} accounts with ${COINS.length} coins each, for ${MEASURE_MS / 1000} s`);
console.log(
  '| workers | accounts of each | processor of each | of the api | memory of each | commits a second | connections |',
);
console.log('|---|---|---|---|---|---|---|');
for (const count of WORKERS) console.log(await measure(count, folder.path));
