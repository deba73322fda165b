import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { cacheKeys } from '#core/installation/cache-keys.ts';
import { sharedColumns } from '#core/market/candle-columns.ts';
import { parseEnvironment } from '#core/installation/env.ts';
import { newId, type ProfileId } from '#core/ids.ts';
import { isObject } from '#core/merge.ts';
import type { Notification } from '#core/installation/notify.ts';
import { randomFrom } from '#core/research/random.ts';
import { NO_LIMITS } from '#core/account/risk.ts';
import { unitsOf } from '#core/research/research.ts';
import { storedRobustness, sweepResult } from '#core/research/research-results.ts';
import { encodeRules } from '#core/market/symbol-codec.ts';
import { createLog } from '#integrations/log.ts';
import { CandleStore } from '#storage/candles/store.ts';
import { openCache } from '#storage/cache/open-cache.ts';
import { openQueue, type Queue } from '#storage/jobs/queue.ts';
import {
  abortResearch,
  createRun,
  createSweep,
  finishUnit,
  readRobustness,
  readRun,
  readSweep,
  readUnits,
  claimUnit,
  otherTrials,
} from '#storage/research/research.ts';
import { openTestDatabase, type TestDatabase } from '#test/harness/test-database.ts';
import { GOLDEN_RULES } from '#test/golden/market-run.ts';
import { seedAccount, seedProfile, seedUser } from '#test/harness/test-trading.ts';
import { openWorker } from '#worker/worker.ts';

const FROM = Date.UTC(2024, 0, 1);
const HOUR_MS = 3_600_000;
const ROWS = 1500;
const CANDLES = mkdtempSync(join(tmpdir(), 'research-'));

let base: TestDatabase;
let queue: Queue;
let profileId: ProfileId;

before(async () => {
  base = await openTestDatabase();
  profileId = await seedProfile(base.database, await seedAccount(base.database, await seedUser(base.database)));
  queue = await openQueue(base.url, { log: createLog({ name: 'test', level: 'silent' }), works: false });
  const candles = new CandleStore(join(CANDLES, 'testnet'));
  for (const symbol of ['AAAUSDT', 'BBBUSDT']) candles.add(symbol, '1h', walkOf(9));
  for (const [i, symbol] of ['CCCUSDT', 'DDDUSDT'].entries()) candles.add(symbol, '1h', walkOf(10 + i));
  const cache = await openCache({ databaseUrl: base.url });
  const rules = ['AAA', 'BBB', 'CCC', 'DDD'].map((asset) => {
    return { ...GOLDEN_RULES, symbol: `${asset}USDT`, baseAsset: asset };
  });
  await cache.set(cacheKeys.rules('testnet'), encodeRules(rules));
  await cache[Symbol.asyncDispose]();
});
after(async () => {
  await queue[Symbol.asyncDispose]();
  await base[Symbol.asyncDispose]();
  rmSync(CANDLES, { recursive: true });
});

/** A random walk of prices, fixed by its seed. */
function walkOf(seed: number) {
  const random = randomFrom(seed);
  const columns = sharedColumns(ROWS);
  let close = 100;
  for (let row = 0; row < ROWS; row++) {
    const open = close;
    close = Math.round(open * (1 + (random() - 0.5) * 0.03) * 100) / 100;
    columns.openMs[row] = FROM + row * HOUR_MS;
    columns.open[row] = open;
    columns.high[row] = Math.max(open, close);
    columns.low[row] = Math.min(open, close);
    columns.close[row] = close;
    columns.volume[row] = 1;
  }
  return columns;
}

const workerEnv = (slot: string) => {
  // No exchange listens there: the stored candles must be enough.
  const nowhere = {
    PAPER_URL: 'http://127.0.0.1:9',
    TESTNET_REST_URL: 'http://127.0.0.1:9',
    TESTNET_STREAM_URL: 'ws://127.0.0.1:9',
  };
  return { DATABASE_URL: base.url, CANDLE_DIR: CANDLES, WORKER_SLOT: slot, LOG_LEVEL: 'silent', ...nowhere };
};
const startWorker = (slot: string, more: Readonly<Record<string, string>> = {}) =>
  openWorker(parseEnvironment({ ...workerEnv(slot), ...more }));

const iso = (row: number): string => new Date(FROM + row * HOUR_MS).toISOString();
const TERMS = { from: iso(100), to: iso(ROWS), detailInterval: '1h', balance: '1000', feeBps: '10', slippageBps: '0' };
const CONFIG = { candleInterval: '1h', ema: { fast: 3, slow: 8 } };

async function until<T>(read: () => Promise<T | undefined>, withinMs = 60_000): Promise<T> {
  for (const end = Date.now() + withinMs; Date.now() < end; await delay(50)) {
    const found = await read();
    if (found !== undefined) return found;
  }
  throw new Error('it did not happen in time');
}
const ended = async <T extends { state: string }>(row: Promise<T | undefined>): Promise<T | undefined> => {
  const found = await row;
  return found !== undefined && ['done', 'failed', 'aborted'].includes(found.state) ? found : undefined;
};

type LaunchedCoin = { symbol: string; config: unknown; profileId?: ProfileId; strategyName?: string };

async function launchRun(coins: readonly LaunchedCoin[], more: object = {}): Promise<string> {
  const request = { ...TERMS, venue: 'testnet', coins, ...more };
  const run = { profileId, strategyName: 'momentum', config: CONFIG, request, warnings: [], fingerprints: {} };
  const runId = await createRun(base.database.kysely, run);
  await queue.enqueue('run-backtest', { runId });
  return runId;
}

interface Forward {
  readonly folds?: number;
  readonly walkForward?: { readonly trainDays: number; readonly testDays: number };
}

async function launchSweep(knobs: string, search: string, sets: number, more: Forward = {}): Promise<string> {
  const coin = { symbol: 'AAAUSDT', config: CONFIG };
  const { folds = 0, ...rest } = more;
  const request = { ...TERMS, venue: 'testnet', coin, knobs, search, seed: 1, rank: 'return', ...rest };
  const units = unitsOf(Array.from({ length: sets }, (_, set) => set));
  const sweep = { profileId, strategyName: 'momentum', config: CONFIG, request, warnings: [], units, folds };
  const sweepId = await createSweep(base.database.kysely, sweep);
  for (let stage = 0; stage <= folds; stage++)
    for (const number of units.keys()) await queue.enqueue('run-sweep-unit', { sweepId, stage, number });
  return sweepId;
}

test('a backtest runs in a thread; a coin that cannot run ends it with a sentence and the others keep their results', async () => {
  await using _worker = await startWorker('one');
  const { kysely } = base.database;
  const runId = await launchRun([{ symbol: 'AAAUSDT', config: CONFIG }]);
  const run = await until(() => ended(readRun(kysely, profileId, runId)));
  assert.equal(run.error, null);
  assert.ok(isObject(run.results) && isObject(run.results['AAAUSDT']));
  const { fingerprint, coverage, warnings } = run.results['AAAUSDT'];
  assert.match(String(fingerprint), /^[0-9a-f]{64}$/);
  assert.ok(isObject(coverage) && coverage['candles'] === 1400 && coverage['warmUp'] === 72);
  assert.deepEqual(warnings, []);

  const both = await launchRun([
    { symbol: 'AAAUSDT', config: CONFIG },
    { symbol: 'ZZZUSDT', config: CONFIG },
  ]);
  const failed = await until(() => ended(readRun(kysely, profileId, both)));
  assert.deepEqual([failed.state, failed.error], ['failed', 'The exchange does not list ZZZUSDT.']);
  assert.deepEqual(Object.keys(isObject(failed.results) ? failed.results : {}), ['AAAUSDT']);

  const messages = await until(async () => {
    const query = `select data ->> 'profileId' as to, data -> 'notification' as message from pgboss.job where name = 'notify'`;
    const { rows } = await base.database.pool.query<{ to: string; message: Notification }>(query);
    return rows.length < 2
      ? undefined
      : rows.map(({ to, message: { event, title, text } }) => [to, event, title, text]);
  });
  assert.deepEqual(
    new Set(messages),
    new Set([
      [profileId, 'backtest-complete', 'The backtest of AAAUSDT has ended', `Its results are kept as run ${runId}.`],
      [profileId, 'backtest-complete', 'The backtest of AAAUSDT, ZZZUSDT has failed', failed.error],
    ]),
  );
});

test('a backtest of a profile that acts on signals trades its recorded ones', async () => {
  await using _worker = await startWorker('signals');
  const { kysely } = base.database;
  const sent = (row: number, action: 'buy' | 'close', state: 'ended' | 'refused' = 'ended') => {
    const at = new Date(FROM + row * HOUR_MS + 1_800_000);
    const of = { inlet_id: 'gone', inlet_name: 'Gone', profile_id: profileId, symbol: 'AAAUSDT', action, at };
    return { ...of, id: newId<string>(), key: `${row}`, valid_until: at, ended_at: at, state };
  };
  const rows = [sent(200, 'buy'), sent(205, 'buy', 'refused'), sent(210, 'close'), sent(300, 'buy')];
  await kysely.insertInto('signals').values(rows).execute();
  const runId = await launchRun([{ symbol: 'AAAUSDT', config: {}, strategyName: 'signal' }]);
  const run = await until(() => ended(readRun(kysely, profileId, runId)));
  assert.equal(run.error, null);
  const result = isObject(run.results) ? run.results['AAAUSDT'] : undefined;
  const { fills } = z.object({ fills: z.array(z.object({ side: z.string(), at: z.string() })) }).parse(result);
  const [first, second] = fills;
  assert.deepEqual([first?.side, first?.at], ['buy', iso(201)]);
  assert.ok(second?.side === 'sell' && second.at <= iso(211));
});

test('a live demo stores no long results', async () => {
  await using _worker = await startWorker('demo', { LIVE_DEMO: '1' });
  const { kysely } = base.database;
  const config = { ...CONFIG, ema: { fast: 2, slow: 3 } };
  const short = await launchRun([{ symbol: 'AAAUSDT', config }]);
  assert.equal((await until(() => ended(readRun(kysely, profileId, short)))).state, 'done');
  const long = await launchRun(Array.from({ length: 20 }, () => ({ symbol: 'AAAUSDT', config })));
  const run = await until(() => ended(readRun(kysely, profileId, long)));
  assert.equal(run.state, 'failed');
  assert.match(run.error ?? '', /^The results are longer than the 500 kB that a live demo keeps\./);
});

test('a worker for research alone takes no account, and one for trading alone takes no backtest', async () => {
  const { kysely, pool } = base.database;
  const leases = async (): Promise<number> =>
    (await pool.query('select 1 from account_leases where expires_at > clock_timestamp()')).rows.length;
  await until(async () => (await leases()) === 0 || undefined);
  const env = (slot: string) => parseEnvironment(workerEnv(slot));
  const trader = await openWorker(env('trader'), { only: 'trading' });
  const runId = await launchRun([{ symbol: 'AAAUSDT', config: CONFIG }]);
  await until(async () => (await leases()) > 0 || undefined);
  assert.equal((await readRun(kysely, profileId, runId))?.state, 'queued');
  await trader[Symbol.asyncDispose]();
  await until(async () => (await leases()) === 0 || undefined);
  await using _research = await openWorker(env('research'), { only: 'research' });
  assert.equal((await until(() => ended(readRun(kysely, profileId, runId)))).state, 'done');
  assert.equal(await leases(), 0);
});

test('two workers share a sweep, one leaves, and no unit runs twice', async () => {
  const { kysely } = base.database;
  const knobs = 'ema.fast=2..21;ema.slow=22..41';
  const first = await startWorker('first');
  const sweepId = await launchSweep(knobs, 'grid', 400);
  const done = async () => (await readUnits(kysely, { sweepId, stage: 0 })).filter(({ worker }) => worker !== null);
  const early = await until(async () => ((await done()).length > 0 ? done() : undefined));
  const second = await startWorker('second');
  await first[Symbol.asyncDispose]();
  const sweep = await until(() => ended(readSweep(kysely, sweepId)));
  await second[Symbol.asyncDispose]();
  assert.deepEqual([sweep.state, sweep.error, sweep.units, sweep.unitsDone], ['done', null, 7, 7]);
  const units = await done();
  for (const { number, worker } of early) assert.equal(units[number]?.worker, worker);
  assert.ok(isObject(sweep.result));
  assert.deepEqual([sweep.result['evaluated'], sweep.result['trials']], [400, 400]);

  // Halving with the same request: 9, 3 and 1 of its sets, and earlier trials count as luck too.
  await using _third = await startWorker('third');
  const halved = await launchSweep('ema.fast=2..4;ema.slow=22..24', 'halving', 9);
  const { result, units: all } = await until(() => ended(readSweep(kysely, halved)));
  assert.ok(isObject(result));
  assert.deepEqual([all, result['evaluated'], result['trials']], [3, 1, 409]);
  // The eight dropped sets were evaluated on a part of the window only.
  assert.equal(result['overfitting'], null);
});

test('an aborted sweep tries no more sets, and its trials count against the next sweep', async () => {
  const { kysely } = base.database;
  const sweepId = await launchSweep('ema.fast=2..21;ema.slow=22..41', 'grid', 400);
  const unit = { sweepId, stage: 0, number: 0 };
  const sets = (await claimUnit(kysely, unit))?.sets;
  assert.ok(Array.isArray(sets) && sets.length > 1);
  const done = { evaluated: { tried: [] }, trials: sets.length };
  for (const worker of ['first', 'again']) await finishUnit(kysely, unit, { ...done, worker });
  assert.equal(await abortResearch(kysely, { profileId, id: sweepId }), true);
  assert.equal(await abortResearch(kysely, { profileId, id: sweepId }), false);
  const question = { sweepId: newId<string>(), strategyName: 'momentum', symbol: 'AAAUSDT' };
  const tried = await otherTrials(kysely, question);
  assert.equal(tried - (await otherTrials(kysely, { ...question, sweepId })), sets.length);
  await using _worker = await startWorker('late');
  const nextId = await launchSweep('ema.fast=2..4;ema.slow=22..24', 'grid', 9);
  const next = await until(() => ended(readSweep(kysely, nextId)));
  assert.ok(isObject(next.result));
  assert.equal(next.result['trials'], tried + 9);
  const sweep = await readSweep(kysely, sweepId);
  assert.deepEqual([sweep?.state, sweep?.unitsDone], ['aborted', 1]);
});

test('a strategy that acts at any price warns in backtest and sweep where its own candles decide; costs are kept', async () => {
  const { kysely } = base.database;
  await using _worker = await startWorker('ticks');
  const config = { candleInterval: '1h', buy: { candleLimit: 5 } };
  const place = { ...TERMS, spreadBps: '4', volumePercent: '0', venue: 'testnet' };
  const profile = { profileId, strategyName: 'trailing-trade', config, warnings: [] };
  const request = { ...place, coins: [{ symbol: 'AAAUSDT', config }] };
  const runId = await createRun(kysely, { ...profile, request, fingerprints: {} });
  await queue.enqueue('run-backtest', { runId });
  const coin = { symbol: 'AAAUSDT', config };
  const search = { knobs: 'buy.candleLimit=3,5', search: 'grid', seed: 1, rank: 'return' };
  const sweepId = await createSweep(kysely, {
    ...profile,
    request: { ...place, coin, ...search },
    units: unitsOf([0, 1]),
    folds: 0,
  });
  await queue.enqueue('run-sweep-unit', { sweepId, stage: 0, number: 0 });
  const run = await until(() => ended(readRun(kysely, profileId, runId)));
  const result = isObject(run.results) ? run.results['AAAUSDT'] : undefined;
  assert.ok(isObject(result), run.error ?? '');
  assert.match(String(result['warnings']), /Trailing trade acts at any price/);
  assert.deepEqual([result['spreadBps'], result['slippageBps'], result['volumePercent']], [4, 0, 0]);
  const sweep = await until(() => ended(readSweep(kysely, sweepId)));
  const { warnings } = sweepResult.parse(sweep.result);
  assert.match(String(warnings), /Trailing trade acts at any price/);
});

test('sets that are no config are counted and not tried; a sweep of nothing else fails with the reason', async () => {
  const { kysely } = base.database;
  await using _worker = await startWorker('refusing');
  const mixedId = await launchSweep('ema.fast=3..9:2;ema.slow=8,12,20', 'grid', 12);
  const mixed = await until(() => ended(readSweep(kysely, mixedId)));
  const { evaluated, refused, rows } = sweepResult.parse(mixed.result);
  assert.deepEqual([mixed.state, mixed.sets, evaluated, rows.length, refused?.count], ['done', 12, 11, 11, 1]);
  assert.match(refused?.example ?? '', /^ema\.fast: 9 must be below the 8 candles/);
  const question = { strategyName: 'momentum', symbol: 'AAAUSDT' };
  const all = await otherTrials(kysely, { ...question, sweepId: newId<string>() });
  assert.equal(all - (await otherTrials(kysely, { ...question, sweepId: mixedId })), 11);
  for (const search of ['grid', 'halving']) {
    const failedId = await launchSweep('ema.fast=30..39;ema.slow=8', search, 10);
    const failed = await until(() => ended(readSweep(kysely, failedId)));
    assert.equal(failed.state, 'failed');
    assert.match(failed.error ?? '', /^No combination is a config of momentum: ema\.fast: 30 must be below/);
  }
});

test('a walk-forward chooses on each training and counts only the tests, as the command does', async () => {
  const { kysely } = base.database;
  await using _worker = await startWorker('forward');
  // 1400 hours are 58 days: tests start on days 30, 40 and so end on day 50.
  const folds = 2;
  const walkForward = { trainDays: 30, testDays: 10 };
  const knobs = 'ema.fast=3..9:2;ema.slow=12,20';
  const sweepId = await launchSweep(knobs, 'grid', 8, { folds, walkForward });
  const sweep = await until(() => ended(readSweep(kysely, sweepId)));
  assert.deepEqual([sweep.state, sweep.error, sweep.units, sweep.unitsDone], ['done', null, 4, 4]);
  const { walkForward: found, knobs: paths, evaluated, rows } = sweepResult.parse(sweep.result);
  assert.deepEqual([paths, evaluated, rows.length], [['ema.fast', 'ema.slow'], 8, 8]);
  assert.deepEqual(
    found?.folds.map(({ trainFrom, testFrom, testTo }) => [trainFrom, testFrom, testTo]),
    [0, 10].map((day) => [day, day + 30, day + 40].map((each) => iso(100 + each * 24))),
  );
  const product = found?.folds.reduce((all, { outOfSample }) => all * (1 + outOfSample.totalReturn), 1) ?? 0;
  assert.equal(found?.totalReturn, product - 1);
  const [first] = found?.folds ?? [];
  const config = { ...CONFIG, ema: { fast: first?.best.values[0], slow: first?.best.values[1] } };
  const request = { ...TERMS, venue: 'testnet', coins: [{ symbol: 'AAAUSDT', config }] };
  const days = { from: first?.testFrom ?? '', to: first?.testTo ?? '' };
  const run = { profileId, strategyName: 'momentum', config, warnings: [], fingerprints: {} };
  const runId = await createRun(kysely, { ...run, request: { ...request, ...days } });
  await queue.enqueue('run-backtest', { runId });
  const { results } = await until(() => ended(readRun(kysely, profileId, runId)));
  const result = isObject(results) ? results['AAAUSDT'] : undefined;
  assert.ok(isObject(result) && isObject(result['metrics']));
  assert.equal(result['metrics']['totalReturn'], first?.outOfSample.totalReturn);

  await queue.enqueue('test-robustness', { runId });
  const examined = await until(async () => {
    const stored = storedRobustness.nullish().parse(await readRobustness(kysely, runId));
    return stored?.state === 'done' ? stored : undefined;
  });
  assert.equal(examined.coins['AAAUSDT']?.foresight, null);
  assert.ok((examined.coins['AAAUSDT']?.comparedDecisions ?? 0) > 100);
  assert.ok((examined.coins['AAAUSDT']?.variants.length ?? 0) >= 7);
});

test('a basket is run as one, over the queue', async () => {
  const { kysely } = base.database;
  await using _worker = await startWorker('basket');
  const targets = ['AAAUSDT', 'BBBUSDT'].map((symbol) => ({ symbol, weight: '0.5' }));
  const config = { enabled: true, basketBudgetQuote: '1000', targets };
  const coins = targets.map(({ symbol }) => ({ symbol, config }));
  const run = { profileId, strategyName: 'rebalance', config, warnings: [], fingerprints: {} };
  const runId = await createRun(kysely, { ...run, request: { ...TERMS, venue: 'testnet', coins } });
  await queue.enqueue('run-backtest', { runId });
  const { state, error, results } = await until(() => ended(readRun(kysely, profileId, runId)));
  assert.deepEqual([state, error], ['done', null]);
  assert.ok(isObject(results) && isObject(results['basket']));
  assert.deepEqual(Object.keys(results), ['basket']);
  assert.ok(isObject(results['basket']['coins']) && 'BBBUSDT' in results['basket']['coins']);
});

const traded = z.object({
  warnings: z.array(z.string()),
  decisions: z.record(z.string(), z.number()),
  fills: z.array(z.object({ symbol: z.string().optional(), position: z.string(), price: z.string() })),
  coins: z.record(z.string(), z.object({ fills: z.number() })).optional(),
});

/** The results of a run, by name. */
async function resultsOf(runId: string) {
  const { state, error, results } = await until(() => ended(readRun(base.database.kysely, profileId, runId)));
  assert.deepEqual([state, error], ['done', null]);
  return z.record(z.string(), traded).parse(results);
}

/** Most coins held at once; quantities that are too small to sell do not count. */
function mostOpen({ fills }: z.output<typeof traded>): number {
  const open = new Set<string | undefined>();
  let most = 0;
  for (const { symbol, position, price } of fills) {
    if (Number(position) * Number(price) > 5) open.add(symbol);
    else open.delete(symbol);
    most = Math.max(most, open.size);
  }
  return most;
}

const THREE = ['AAAUSDT', 'CCCUSDT', 'DDDUSDT'];
const limitsOf = (openPositions: number) => {
  const limits = { ...NO_LIMITS, openPositions };
  return { timezone: 'UTC', limits: [{ scope: 'profile', subject: profileId, limits }] };
};

test('coins that share a balance run together, under the limits that the request holds', async () => {
  await using _worker = await startWorker('shared');
  const coins = THREE.map((symbol) => ({ symbol, config: CONFIG, profileId, strategyName: 'momentum' }));
  const free = await resultsOf(await launchRun(coins, { purse: 'shared' }));
  assert.deepEqual(Object.keys(free), ['basket']);
  assert.ok(free['basket'] !== undefined && mostOpen(free['basket']) > 1);
  assert.deepEqual(Object.keys(free['basket'].coins ?? {}), THREE);

  // The profile itself has no limit: that of the request counts.
  const runId = await launchRun(coins, { purse: 'shared', limits: limitsOf(1) });
  const { basket: limited } = await resultsOf(runId);
  assert.ok(limited !== undefined && limited.fills.length > 20);
  assert.equal(mostOpen(limited), 1);
  assert.ok((limited.decisions['cap-open-positions'] ?? 0) > 0);
  assert.deepEqual(limited.warnings, []);
  await queue.enqueue('test-robustness', { runId });
  const examined = await until(async () => {
    const stored = storedRobustness.nullish().parse(await readRobustness(base.database.kysely, runId));
    return stored?.state === 'done' ? stored : undefined;
  });
  assert.ok(examined.coins['basket']?.monteCarlo);

  const separate = await resultsOf(await launchRun(coins, { purse: 'separate' }));
  assert.deepEqual(Object.keys(separate).toSorted(), THREE);
  const sentence = 'Each coin had the whole balance, and no limits of profile or account were applied.';
  for (const { warnings } of Object.values(separate)) assert.deepEqual(warnings, [sentence]);
});

test('one coin is under the limits of its request too, and profiles of an account run with their own strategies', async () => {
  await using _worker = await startWorker('account');
  const coin = { symbol: 'AAAUSDT', config: CONFIG, profileId, strategyName: 'momentum' };
  const none = await resultsOf(await launchRun([coin], { purse: 'shared', limits: limitsOf(0) }));
  assert.deepEqual([Object.keys(none), none['AAAUSDT']?.fills], [['AAAUSDT'], []]);

  const other = newId<ProfileId>();
  const config = { candleInterval: '1h', buy: { candleLimit: 5 } };
  const theirs = { symbol: 'CCCUSDT', config, profileId: other, strategyName: 'trailing-trade' };
  const sharing = { purse: 'shared', scope: 'account', limits: limitsOf(0) };
  const { basket } = await resultsOf(await launchRun([coin, theirs], sharing));
  assert.deepEqual([basket?.coins?.['AAAUSDT']?.fills, (basket?.coins?.['CCCUSDT']?.fills ?? 0) > 0], [0, true]);
  assert.match(String(basket?.warnings), /Trailing trade acts at any price/);
});

test('when one of two worker processes is killed, the other finishes the sweep and repeats no finished unit', async () => {
  const { kysely } = base.database;
  const launch = (slot: string) => {
    const file = join(import.meta.dirname, '..', 'main.ts');
    return spawn(process.execPath, [file], { env: { ...process.env, ...workerEnv(slot) }, stdio: 'ignore' });
  };
  const slots = ['killed', 'left'];
  const children = slots.map(launch);
  const [killed] = children;
  try {
    await using cache = await openCache({ databaseUrl: base.url });
    await until(async () => {
      const beating = await Promise.all(slots.map((slot) => cache.get(cacheKeys.heartbeat(slot))));
      return beating.every((beat) => beat !== undefined) ? true : undefined;
    }, 120_000);
    const sweepId = await launchSweep('ema.fast=2..41;ema.slow=42..81', 'grid', 1600);
    const done = async () => (await readUnits(kysely, { sweepId, stage: 0 })).filter(({ worker }) => worker !== null);
    const early = await until(async () => {
      const units = await done();
      return new Set(units.map(({ worker }) => worker)).size === 2 ? units : undefined;
    }, 120_000);
    assert.ok(early.length < 25, 'it is killed in the middle of its work');
    killed?.kill('SIGKILL');
    const sweep = await until(() => ended(readSweep(kysely, sweepId)), 240_000);
    assert.deepEqual([sweep.state, sweep.units, sweep.unitsDone], ['done', 25, 25]);
    const units = await done();
    for (const { number, worker } of early) assert.equal(units[number]?.worker, worker);
    assert.equal(sweepResult.parse(sweep.result).evaluated, 1600);
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
});
