import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { parseEnvironment } from '#core/installation/env.ts';
import { cacheKeys } from '#core/installation/cache-keys.ts';
import type { AccountId, ProfileId } from '#core/ids.ts';
import { sharedColumns } from '#core/market/candle-columns.ts';
import { encodeRules } from '#core/market/symbol-codec.ts';
import type { CacheStore } from '#core/ports/cache.ts';
import { type DryRunResult, dryRunResult } from '#core/research/dry-run.ts';
import { randomFrom } from '#core/research/random.ts';
import { createLog } from '#integrations/log.ts';
import { openCache } from '#storage/cache/open-cache.ts';
import { CandleStore } from '#storage/candles/store.ts';
import { openQueue, type Queue } from '#storage/jobs/queue.ts';
import { deleteProfile } from '#storage/operator/profiles.ts';
import { createDryRun, decideDryRun, readDryRun } from '#storage/research/dry-runs.ts';
import { GOLDEN_RULES } from '#test/golden/market-run.ts';
import { importsOf, readSourceFiles } from '#test/harness/source-files.ts';
import { openTestDatabase, type TestDatabase } from '#test/harness/test-database.ts';
import { seedAccount, seedProfile, seedUser } from '#test/harness/test-trading.ts';
import { openWorker } from '#worker/worker.ts';

const MINUTE_MS = 60_000;
const FROM = Date.UTC(2024, 0, 1);
const ROWS = 3000;
/** The minute at which the dry runs start. */
const START = 600;
const CANDLES = mkdtempSync(join(tmpdir(), 'dry-runs-'));

let base: TestDatabase;
let queue: Queue;
let cache: CacheStore;
let accountId: AccountId;
let profiles = 0;

before(async () => {
  base = await openTestDatabase();
  accountId = await seedAccount(base.database, await seedUser(base.database));
  queue = await openQueue(base.url, { log: createLog({ name: 'test', level: 'silent' }), works: false });
  cache = await openCache({ databaseUrl: base.url });
  const candles = new CandleStore(join(CANDLES, 'paper'));
  for (const [i, asset] of ['AAA', 'BBB'].entries()) candles.add(`${asset}USDT`, '1m', walkOf(9 + i));
  const rules = ['AAA', 'BBB', 'CCC'].map((asset) => ({ ...GOLDEN_RULES, symbol: `${asset}USDT`, baseAsset: asset }));
  await cache.set(cacheKeys.rules('paper'), encodeRules(rules));
});
after(async () => {
  await queue[Symbol.asyncDispose]();
  await cache[Symbol.asyncDispose]();
  await base[Symbol.asyncDispose]();
  rmSync(CANDLES, { recursive: true });
});

/** A random walk of minutes, fixed by its seed. */
function walkOf(seed: number) {
  const random = randomFrom(seed);
  const columns = sharedColumns(ROWS);
  let close = 100;
  for (let row = 0; row < ROWS; row++) {
    const open = close;
    close = Math.round(open * (1 + (random() - 0.5) * 0.01) * 100) / 100;
    columns.openMs[row] = FROM + row * MINUTE_MS;
    columns.open[row] = open;
    columns.high[row] = Math.max(open, close);
    columns.low[row] = Math.min(open, close);
    columns.close[row] = close;
    columns.volume[row] = 1000;
  }
  return columns;
}

/** Stops the clock of the market at a minute. */
const setMarket = (minute: number): Promise<void> =>
  cache.set(
    cacheKeys.marketClock('paper'),
    JSON.stringify({ marketMs: FROM + minute * MINUTE_MS, wallMs: Date.now(), speed: 0 }),
  );

const workerEnv = (slot: string) => {
  // No exchange listens there: the stored candles must be enough.
  const nowhere = {
    PAPER_URL: 'http://127.0.0.1:9',
    TESTNET_REST_URL: 'http://127.0.0.1:9',
    TESTNET_STREAM_URL: 'ws://127.0.0.1:9',
  };
  return { DATABASE_URL: base.url, CANDLE_DIR: CANDLES, WORKER_SLOT: slot, LOG_LEVEL: 'silent', ...nowhere };
};
const startWorker = (slot: string) => openWorker(parseEnvironment(workerEnv(slot)));

async function until<T>(read: () => Promise<T | undefined>, withinMs = 120_000): Promise<T> {
  for (const end = Date.now() + withinMs; Date.now() < end; await delay(50)) {
    const found = await read();
    if (found !== undefined) return found;
  }
  throw new Error('it did not happen in time');
}

const PRESENT = {
  candleInterval: '5m',
  buy: { candleLimit: 10, entrySizing: { mode: 'fixed', amount: '300' }, gridLevels: [{ triggerPercentage: '1.003' }] },
  sell: { stopLossPercentage: '0.98', triggerPercentage: '1.006', trailingStopPercentage: '0.996' },
};
const CHANGED = { ...PRESENT, sell: { ...PRESENT.sell, triggerPercentage: '1.012' } };

interface Started {
  readonly profileId: ProfileId;
  readonly id: string;
}

async function start(
  symbols: readonly string[],
  more: { decisions?: number; strategyName?: string } = {},
): Promise<Started> {
  const { database } = base;
  const profileId = await seedProfile(database, accountId, `Profile ${++profiles}`);
  const { decisions = 1000, strategyName = 'trailing-trade' } = more;
  const coins = symbols.map((symbol) => ({ symbol, overrideConfig: {} }));
  const run = { profileId, strategyName, present: PRESENT, changed: CHANGED, coins, decisions, warnings: [] };
  const id = await createDryRun(database.kysely, run);
  assert.ok(id);
  await setMarket(START);
  return { profileId, id };
}

const evaluate = (id: string, key: string) =>
  queue.enqueue('evaluate-dry-run', { dryRunId: id }, { singletonKey: key });
const read = ({ profileId, id }: Started) => readDryRun(base.database.kysely, profileId, id);

/** The result once it reaches a minute. */
const resultAt = (started: Started, minute: number): Promise<DryRunResult> =>
  until(async () => {
    const { state, result, error } = (await read(started)) ?? {};
    assert.notEqual(state, 'failed', String(error));
    const found = dryRunResult.nullable().parse(result ?? null);
    return found !== null && Date.parse(found.to) >= FROM + minute * MINUTE_MS ? found : undefined;
  });

/** Taken once the worker has stored where the sides start. */
const opened = ({ id }: Started) =>
  until(async () => {
    const query = base.database.kysely.selectFrom('dry_runs').select('opening').where('id', '=', id);
    return (await query.executeTakeFirst())?.opening ?? undefined;
  });

/** Title and text of its notifications, once there is one. */
const messagesFor = ({ profileId }: Started) =>
  until(async () => {
    const query = `select data -> 'notification' ->> 'title' as title, data -> 'notification' ->> 'text' as text
      from pgboss.job where name = 'notify' and data ->> 'profileId' = $1`;
    const { rows } = await base.database.pool.query<{ title: string; text: string }>(query, [profileId]);
    return rows.length === 0 ? undefined : rows.map(({ title, text }) => [title, text]);
  });

test('both sides are computed up to now, again and again, until enough decisions are made; nothing is sent', async () => {
  const started = await start(['AAAUSDT', 'BBBUSDT', 'CCCUSDT'], { decisions: 2400 });
  await using _worker = await startWorker('dry-1');
  await opened(started);
  await setMarket(START + 300);
  await evaluate(started.id, 'first');
  const first = await resultAt(started, START + 300);
  const [aaa, bbb, ccc] = first.coins;
  assert.deepEqual([aaa?.present.decisions, bbb?.changed.decisions, first.decisions], [300, 300, 600]);
  assert.match(ccc?.refused ?? '', /no 1m candles of CCCUSDT/);
  assert.equal((await read(started))?.state, 'running');
  await setMarket(START + 1200);
  await evaluate(started.id, 'second');
  const second = await resultAt(started, START + 1200);
  assert.equal(second.decisions, 2400);
  assert.ok(second.differing > 0, 'the higher target changes decisions');
  assert.notDeepEqual(second.totals[0]?.present, second.totals[0]?.changed);
  assert.equal((await read(started))?.state, 'finished');
  const [quote] = second.totals;
  const net = (amount = '') => Number(amount).toFixed(2);
  assert.deepEqual(await messagesFor(started), [
    [
      'The dry run of AAAUSDT, BBBUSDT, CCCUSDT has ended',
      `${second.differing} of 2400 decisions differ. Net P&L ${net(quote?.changed.net)} USDT with the changed settings, ${net(quote?.present.net)} USDT with the present ones. Promote or drop it under Dry runs of the profile.`,
    ],
  ]);
  const { rows } = await base.database.pool.query('select 1 from orders');
  assert.equal(rows.length, 0);
});

test('two workers, and a worker that is killed while it computes: the result is that of one undisturbed run', async () => {
  const [quiet, killed] = [await start(['AAAUSDT', 'BBBUSDT']), await start(['AAAUSDT', 'BBBUSDT'])];
  const program = spawn(process.execPath, ['worker/main.ts'], {
    cwd: join(import.meta.dirname, '../..'),
    env: { ...process.env, ...workerEnv('dry-killed') },
    stdio: 'ignore',
  });
  await Promise.all([opened(quiet), opened(killed)]);
  await setMarket(START + 400);
  await evaluate(killed.id, 'killed');
  const active = `select 1 from pgboss.job where name = 'evaluate-dry-run' and state = 'active'`;
  await until(async () => {
    const isActive = (await base.database.pool.query(active)).rows.length > 0;
    return isActive || (await read(killed))?.result !== null ? true : undefined;
  });
  program.kill('SIGKILL');
  await using _one = await startWorker('dry-2');
  await using _other = await startWorker('dry-3');
  for (const key of ['a', 'b', 'c']) await evaluate(quiet.id, key);
  const [expected, found] = [await resultAt(quiet, START + 400), await resultAt(killed, START + 400)];
  assert.deepEqual(found, expected);
});

test('one that was dropped, or whose profile is gone, is left alone; a strategy that is gone ends it', async () => {
  const [dropped, deleted] = [await start(['AAAUSDT']), await start(['AAAUSDT'])];
  const gone = await start(['AAAUSDT'], { strategyName: 'gone' });
  const { kysely } = base.database;
  await decideDryRun(kysely, dropped.id, 'dropped');
  await deleteProfile(kysely, deleted.profileId);
  await using _worker = await startWorker('dry-4');
  for (const { id } of [dropped, deleted, gone]) await evaluate(id, `end-${id}`);
  const failed = await until(async () => {
    const row = await read(gone);
    return row?.state === 'failed' ? row : undefined;
  });
  assert.match(failed.error ?? '', /"gone" no longer exists/);
  assert.deepEqual(await messagesFor(gone), [['The dry run of AAAUSDT has failed', failed.error]]);
  await until(async () => {
    const waiting = `select 1 from pgboss.job where name = 'evaluate-dry-run' and state <> 'completed' and data ->> 'dryRunId' = any($1)`;
    const { rows } = await base.database.pool.query(waiting, [[dropped.id, deleted.id]]);
    return rows.length === 0 ? true : undefined;
  });
  const row = await read(dropped);
  assert.deepEqual([row?.state, row?.result], ['dropped', null]);
});

test('what computes a dry run imports nothing that trades', () => {
  const files = new Map(readSourceFiles('.ts').map((file) => [file.path, file]));
  const seen = new Set<string>();
  const visit = (path: string): void => {
    const file = files.get(path);
    if (file === undefined || seen.has(path)) return;
    seen.add(path);
    const text = file.text.replaceAll(/import type [^;]+;/g, '');
    for (const next of importsOf({ ...file, text })) visit(next);
  };
  visit('backtest/dry-run.ts');
  visit('worker/dry-run-thread.ts');
  assert.ok(seen.size > 20);
  const trades = [...seen].filter((path) =>
    /^engine\/|^exchange\/.*(trad|sign|order|account)|^storage\/.*intents/.test(path),
  );
  assert.deepEqual(trades, []);
});
