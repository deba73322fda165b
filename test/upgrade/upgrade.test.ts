import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openApi } from '#api/boot.ts';
import { OPERATIONS } from '#api/contract/contract.ts';
import type { Operation } from '#api/contract/operation.ts';
import { signIn } from '#api/contract/session.ts';
import { parseEnvironment } from '#core/installation/env.ts';
import { createLog } from '#integrations/log.ts';
import { restoreBackup } from '#storage/backup/restore.ts';
import { openQueue } from '#storage/jobs/queue.ts';
import { type Database, openDatabase } from '#storage/postgres/database.ts';
import { migrateDatabase } from '#storage/postgres/migrate.ts';
import { createClient } from '#test/flow/client.ts';
import { CREDENTIALS } from '#test/flow/stack.ts';
import { openEmptyDatabase, openTestDatabase } from '#test/harness/test-database.ts';
import { type Measures, measureTables } from './measures.ts';
import { STORED, type Stored } from './stored.ts';

/** A restore ends sessions, stops buying, and has each coin compared with the exchange before it trades. */
const RESTORED = ['sessions', 'kill_switches', 'runner_states'];
/** No part of a backup: the cache and leases. */
const LEFT_OUT = ['cache_entries', 'cache_hits', 'cache_list_heads', 'cache_lists', 'account_leases'];

const withoutThose = (measures: Measures): Measures =>
  Object.fromEntries(Object.entries(measures).filter(([table]) => ![...RESTORED, ...LEFT_OUT].includes(table)));

async function migrated(stack: AsyncDisposableStack, { fill }: Stored): Promise<string> {
  const { url } = stack.use(await openEmptyDatabase());
  await fill(url);
  await migrateDatabase(url);
  return url;
}

/** A row of the session for each parameter of a path. */
const ROWS: Readonly<Record<string, string>> = {
  '/accounts/:id': 'select id from accounts',
  '/profiles/:id': 'select profile_id as id from fills group by 1 order by count(*) desc',
  '/orders/:id': 'select order_id as id from fills',
  '/jobs/:id': `select id from pgboss.job where name = 'run-backtest'`,
  '/actions/:actionId': 'select id from operator_actions',
  '/diagnosis/runs/:runId': 'select id from diagnosis_runs',
  '/backtests/:runId': 'select id from research where pinned',
  '/sweeps/:sweepId': `select id from research where kind = 'sweep'`,
  '/symbols/:symbol': `select 'BTCUSDT' as id`,
  '/notifiers/:provider': 'select provider as id from profile_notifiers',
};
const QUERIES: Readonly<Record<string, string>> = {
  '/profiles/:id/tick-trace': `select 'symbol=BTCUSDT' as id`,
  '/profiles/:id/backtest-comparison': `select 'runs=' || string_agg(id::text, ',') as id from research where kind = 'backtest'`,
};

/** Reads of records that the recorded versions do not have. */
const LATER = ['/profiles/:id/dry-runs/:dryRunId', '/proposals/:id', '/strategy-versions/:hash'];

async function addressOf({ pool }: Database, path: string): Promise<string> {
  const read = async (query: string): Promise<string> =>
    String((await pool.query<{ id: unknown }>(`${query} limit 1`)).rows[0]?.id);
  let address = path;
  for (const [part, query] of Object.entries(ROWS))
    if (address.includes(part)) address = address.replace(/:\w+/, await read(query));
  const query = QUERIES[path];
  return query === undefined ? address : `${address}?${await read(query)}`;
}

for (const stored of STORED) {
  test(`data of ${stored.name}: every value of every table is there after the migrations`, async () => {
    await using stack = new AsyncDisposableStack();
    const url = await migrated(stack, stored);
    assert.deepEqual(await measureTables(url, stored.measures), stored.measures);
  });

  test(`a backup of ${stored.name}: every value of every table is there after the restore`, async () => {
    await using into = await openTestDatabase();
    await restoreBackup(into.database, stored.backup);
    const measured = await measureTables(into.url, stored.measures);
    assert.deepEqual(withoutThose(measured), withoutThose(stored.measures));
    const positions = ({ runner_states: coins }: Measures) => coins?.sums;
    assert.deepEqual(positions(measured), positions(stored.measures));
  });

  test(`data of ${stored.name}: the queue has the jobs and schedules of this version only`, async () => {
    await using stack = new AsyncDisposableStack();
    const queuesOf = async (url: string): Promise<string[]> => {
      const log = createLog({ name: 'test', level: 'silent' });
      stack.use(await openQueue(url, { log, works: false }));
      const { pool } = stack.use(openDatabase(url, { max: 1 }));
      const own = `select name from pgboss.queue where not starts_with(name, '__') order by 1`;
      return (await pool.query<{ name: string }>(own)).rows.map(({ name }) => name);
    };
    const fresh = stack.use(await openEmptyDatabase());
    assert.deepEqual(await queuesOf(await migrated(stack, stored)), await queuesOf(fresh.url));
  });

  test(`data of ${stored.name}: every operation that reads answers as the contract says`, async () => {
    await using stack = new AsyncDisposableStack();
    const url = await migrated(stack, stored);
    const database = stack.use(openDatabase(url, { max: 2 }));
    const nowhere = { PAPER_URL: 'http://127.0.0.1:9', CANDLE_DIR: '/nowhere' };
    const env = parseEnvironment({ DATABASE_URL: url, PORT: '0', LOG_LEVEL: 'silent', ...nowhere });
    const api = stack.use(await openApi(env));
    const client = createClient(`http://127.0.0.1:${api.port}/api`);
    await client.call(signIn, { body: CREDENTIALS });
    const isComplete = ({ path, query }: Operation): boolean =>
      path in QUERIES || query?.safeParse({}).success !== false;
    const reads = OPERATIONS.filter((read) => read.method === 'GET' && isComplete(read) && !LATER.includes(read.path));
    for (const { path, status, response } of reads) {
      const address = await addressOf(database, path);
      const answer = await client.fetch(address);
      const text = await answer.text();
      // There is no exchange.
      if (answer.status === 502) continue;
      assert.equal(answer.status, status, `${address}: ${text.slice(0, 300)}`);
      response?.parse(JSON.parse(text));
    }
  });
}
