import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { cacheKeys } from '#core/installation/cache-keys.ts';
import type { OrderRecord } from '#core/order/order.ts';
import { sharedColumns } from '#core/market/candle-columns.ts';
import { parseEnvironment } from '#core/installation/env.ts';
import { newId, type ProfileId } from '#core/ids.ts';
import type { TradingStore } from '#core/ports/store.ts';
import { encodeRules } from '#core/market/symbol-codec.ts';
import { createLog } from '#integrations/log.ts';
import { CandleStore } from '#storage/candles/store.ts';
import { readComparison, requestComparison } from '#storage/research/live-checks.ts';
import { openCache } from '#storage/cache/open-cache.ts';
import { openQueue, type Queue } from '#storage/jobs/queue.ts';
import { addResult, createRun, finishResearch, pinRun, startRun } from '#storage/research/research.ts';
import { openTestDatabase, type TestDatabase } from '#test/harness/test-database.ts';
import { until } from '#test/harness/test-outage.ts';
import {
  commitNext,
  exchangeIdOf,
  fillOf,
  intentOf,
  type Owner,
  requireCommitted,
  RULES,
  seedOwner,
  seedProfile,
  SYMBOL,
} from '#test/harness/test-trading.ts';
import { createTradingStore } from '#storage/trading/trading-store.ts';
import { openWorker } from '#worker/worker.ts';
import { cycleWith, fillWith, storedResultWith } from '#test/harness/stored-result.ts';

const MINUTE_MS = 60_000;
const NOW_MS = Date.now() - (Date.now() % MINUTE_MS);
const CANDLES = mkdtempSync(join(tmpdir(), 'compare-live-'));
const log = createLog({ name: 'test', level: 'silent' });
const stack = new AsyncDisposableStack();
let base: TestDatabase;
let queue: Queue;
let store: TradingStore;
let owner: Owner;

/** Five days of minutes at one price. */
function writeCandles(): void {
  const rows = 5 * 24 * 60;
  const columns = sharedColumns(rows);
  for (let row = 0; row < rows; row++) {
    columns.openMs[row] = NOW_MS - (rows - row) * MINUTE_MS;
    for (const name of ['open', 'high', 'low', 'close'] as const) columns[name][row] = 100;
    columns.volume[row] = 1;
  }
  new CandleStore(join(CANDLES, 'paper')).add(SYMBOL, '1m', columns);
}

before(async () => {
  base = stack.use(await openTestDatabase());
  queue = stack.use(await openQueue(base.url, { log, works: false }));
  store = createTradingStore(base.database);
  const account = await seedOwner(base.database);
  owner = { ...account, profileId: await seedProfile(base.database, account.accountId, 'Compared') };
  const { kysely } = base.database;
  await kysely
    .updateTable('profile_symbols')
    .set({ profile_id: owner.profileId })
    .where('symbol', '=', SYMBOL)
    .execute();
  const momentum = {
    strategy_name: 'momentum',
    config: JSON.stringify({ candleInterval: '1h', ema: { fast: 3, slow: 8 } }),
  };
  await kysely.updateTable('profiles').set(momentum).where('id', '=', owner.profileId).execute();
  writeCandles();
  const cache = stack.use(await openCache({ databaseUrl: base.url }));
  await cache.set(cacheKeys.rules('paper'), encodeRules([RULES]));
  const nowhere = { PAPER_URL: 'http://127.0.0.1:9' };
  const env = { DATABASE_URL: base.url, CANDLE_DIR: CANDLES, WORKER_SLOT: 'compare', LOG_LEVEL: 'silent', ...nowhere };
  stack.use(await openWorker(parseEnvironment(env)));
});
after(async () => {
  await stack.disposeAsync();
  rmSync(CANDLES, { recursive: true });
});

/** Requests a comparison and waits for it. */
async function compared() {
  const { kysely } = base.database;
  const { profileId } = owner;
  await requestComparison(kysely, profileId);
  await queue.enqueue('compare-live', { profileId });
  const ended = async () => (await readComparison(kysely, profileId)).requestedAt === null;
  await until('the comparison', ended);
  return readComparison(kysely, profileId);
}

const apply = (order: OrderRecord, fill: ReturnType<typeof fillOf>) =>
  store.applyFill({
    ...{ accountId: owner.accountId, epoch: 1, rules: RULES, cooldownMs: 0, orderId: order.id, feeQuote: null },
    fill: { ...fill, exchangeOrderId: exchangeIdOf(order) },
  });

/** A position that is bought at the decided price of 100 and sold at another price. */
async function tradeRound(sold: string, at?: Date): Promise<void> {
  const times = at === undefined ? {} : { at };
  const runner = await store.loadRunner(owner.profileId, SYMBOL);
  const decision = { reason: 'entry-cross-up', numbers: { price: '99.9' } };
  const intent = intentOf(owner, { expectedVersion: runner.version, decision, reason: 'entry-cross-up' });
  const { record } = requireCommitted(await store.commitIntent(intent));
  await apply(record, fillOf('buy', '1 @ 100', times));
  await store.updateOrder(record.id, { state: 'filled' });
  const exit = await commitNext(store, owner, { side: 'sell', purpose: 'exit' });
  await apply(exit, fillOf('sell', `1 @ ${sold}`, times));
  await store.updateOrder(exit.id, { state: 'filled' });
}

async function pinned(): Promise<string> {
  const { kysely } = base.database;
  const { profileId } = owner;
  // A run of all profiles of the account: what the other one lost does not count.
  const foreign = { symbol: 'LOSTUSDT', config: {}, profileId: newId<ProfileId>() };
  const coins = [{ symbol: SYMBOL, config: {}, profileId }, foreign];
  const request = { from: '2024-01-01T00:00:00.000Z', venue: 'testnet', purse: 'shared', scope: 'account', coins };
  const run = { profileId, strategyName: 'momentum', config: {}, request, warnings: [], fingerprints: {} };
  const runId = await createRun(kysely, run);
  await startRun(kysely, runId);
  const cycles = Array.from({ length: 20 }, (_, i) => [
    cycleWith({ symbol: SYMBOL, cycle: i + 1, net: i % 5 < 3 ? '2' : '-1.5' }),
    cycleWith({ symbol: foreign.symbol, cycle: i + 1, net: '-30' }),
  ]).flat();
  const fills = cycles.map(({ symbol = '', cycle }) => fillWith({ symbol, cycle, side: 'buy', quote: '100' }));
  await addResult(kysely, runId, { symbol: 'basket', result: storedResultWith({ cycles, fills }) });
  await finishResearch(kysely, { id: runId, state: 'done' });
  await pinRun(kysely, profileId, { id: runId, pinned: true });
  return runId;
}

test('only what was traded since the pin counts; a change of the verdict is logged and notified once', async () => {
  for (let i = 0; i < 20; i++) await tradeRound('95');
  const runId = await pinned();
  const { reference: first } = await compared();
  assert.deepEqual([first?.runId, first?.verdict, first?.tests[0]?.samples], [runId, 'undecided', 0]);
  for (let i = 0; i < 16; i++) await tradeRound('98');
  await compared();
  const { reference: worse } = await compared();
  assert.deepEqual([worse?.verdict, worse?.tests[0]?.samples, worse?.tests[0]?.live], ['worse', 16, 0]);
  assert.equal(worse?.tests[1]?.live, 0);
  // 100 paid where 99.9 was decided.
  assert.equal(worse?.tests[2]?.live?.toFixed(3), '10.010');
  const rowsOf = async (query: string): Promise<unknown[]> => (await base.database.pool.query(query)).rows;
  const logged = `select level, msg from action_logs where ctx ->> 'event' like 'drift%'`;
  await until('the change is logged', async () => (await rowsOf(logged)).length > 0);
  const [row, ...more] = await base.database.kysely
    .selectFrom('action_logs')
    .select(['level', 'msg'])
    .where('profile_id', '=', owner.profileId)
    .where('symbol', 'is', null)
    .execute();
  assert.deepEqual([row?.level, more], ['warn', []]);
  assert.match(row?.msg ?? '', /worse than its reference backtest: Won 0 % of 16 closed positions; tested 60 %/);
  const sent = `select data #>> '{notification,event}' as event from pgboss.job where name = 'notify'`;
  await until('the notification is queued', async () => (await rowsOf(sent)).length > 0);
  assert.deepEqual(await rowsOf(sent), [{ event: 'drift' }]);
});

test('the last day is replayed with the present settings, next to the recorded decisions and trades', async () => {
  await tradeRound('101', new Date(NOW_MS - 60 * MINUTE_MS));
  const decided = (reason: string, from: number, to: number) => ({
    id: newId<string>(),
    profile_id: owner.profileId,
    symbol: SYMBOL,
    level: 'debug' as const,
    msg: `It says ${reason}.`,
    ctx: JSON.stringify({ event: 'decision', reason, approval: { kind: 'not-needed' } }),
    first_at: new Date(NOW_MS - from * MINUTE_MS),
    last_at: new Date(NOW_MS - to * MINUTE_MS),
  });
  const rows = [decided('entry-no-cross', 120, 61), decided('entry-cross-up', 60.5, 59.5)];
  await base.database.kysely.insertInto('action_logs').values(rows).execute();
  const { error, day } = await compared();
  assert.equal(error, null);
  assert.ok(day !== null);
  assert.equal(Date.parse(day.to) - Date.parse(day.from), 86_400_000);
  const [coin] = day.coins;
  assert.deepEqual([coin?.symbol, coin?.refused, coin?.replayedFrom], [SYMBOL, null, day.from]);
  assert.ok(coin !== undefined && coin.compared >= 60 && coin.agreed === coin.compared - coin.differing.length);
  assert.deepEqual(
    coin.differing.map(({ live, replayed }) => [live, replayed]),
    [['entry-cross-up', 'entry-no-cross']],
  );
  assert.deepEqual(
    coin.fills.map(({ side, live, replayed, why }) => [side, live?.price, replayed, why]),
    [
      ['buy', '100.000000000000', null, 'entry-no-cross'],
      ['sell', '101.000000000000', null, 'entry-no-cross'],
    ],
  );
});
