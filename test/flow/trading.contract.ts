import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setKillSwitch } from '#api/contract/halts.ts';
import { changeProfile, readCoin, readProfile } from '#api/contract/profiles.ts';
import { listLogs } from '#api/contract/records.ts';
import { sql } from 'kysely';
import { cacheKeys } from '#core/installation/cache-keys.ts';
import { formatDecimal, requireDecimal, subtract } from '#core/amount/decimal.ts';
import { isObject } from '#core/merge.ts';
import { LIVE_ORDER_STATES } from '#core/order/order.ts';
import type { ProfileId } from '#core/ids.ts';
import { createTrading } from '#exchange/place.ts';
import { createMarketReader } from '#exchange/read.ts';
import { openCache } from '#storage/cache/open-cache.ts';
import { refoldPosition } from '#storage/trading/fills.ts';
import { MARKET_START, writeSwingingCandles } from './candles.ts';
import { LIVELY, startProfile } from './profile.ts';
import { KEY, openStack, type Stack } from './stack.ts';
import { tracedTicks } from './traced-ticks.ts';
import { until } from './until.ts';

const SYMBOL = 'BTCUSDT';

interface Flow {
  readonly stack: Stack;
  readonly profileId: ProfileId;
  readonly cache: { readonly cacheUrl?: string };
}
type Check = (flow: Flow) => Promise<void>;

const closedCycles = async ({ stack, profileId }: Flow): Promise<number> => {
  const cycles = stack.database.kysely.selectFrom('closed_cycles').selectAll().where('profile_id', '=', profileId);
  return (await cycles.execute()).length;
};

const tradesByItself: Check = async (flow) => {
  await until('three closed cycles', async () => (await closedCycles(flow)) >= 3, 120_000);
};

const recordsEveryTick: Check = async (flow) => {
  const { stack, profileId } = flow;
  const trace = await (await stack.fetch(`/profiles/${profileId}/tick-trace?limit=200`)).json();
  assert.equal(trace.entries.length, 200);
  for (const entry of trace.entries) {
    assert.ok(entry.decision.reason.length > 0);
    assert.ok(Object.keys(entry.decision.numbers).length > 0);
    assert.notEqual(entry.input.price, undefined);
  }
  const { rows } = await stack.call(listLogs, { params: { id: profileId }, query: { limit: 1000 } });
  assert.ok(
    rows.some((row) => row.msg.startsWith('Bought ')),
    'a buy reads as a sentence',
  );
  assert.ok(
    rows.some((row) => row.msg.startsWith('Sold ')),
    'a sale reads as a sentence',
  );
};

const stopsEntries: Check = async (flow) => {
  const { stack, profileId } = flow;
  await stack.call(setKillSwitch, { body: { engaged: true, reason: 'drill' } });
  const engaged = await stack.database.kysely.selectFrom('kill_switches').selectAll().executeTakeFirstOrThrow();
  await until(
    'an entry to be refused by the kill switch',
    async () => {
      const { coin } = await stack.call(readCoin, { params: { id: profileId, symbol: SYMBOL } });
      return coin.state?.approval.reason === 'halt-kill-switch';
    },
    90_000,
  );
  const later = await stack.database.kysely
    .selectFrom('orders')
    .select(['purpose', 'halt_order'])
    .where('halt_order', '>', engaged.halt_order)
    .execute();
  assert.deepEqual(
    later.filter((order) => order.purpose === 'entry'),
    [],
  );
};

/** Cancels the stop on the exchange, which would still sell after the worker has stopped. */
async function cancelStop({ stack, profileId }: Flow): Promise<void> {
  const params = { id: profileId };
  const { config } = await stack.call(readProfile, { params });
  const sell = isObject(config['sell']) ? config['sell'] : {};
  const body = { config: { ...config, sell: { ...sell, protectiveStop: { enabled: false } } } };
  await stack.call(changeProfile, { params, body });
  await until('no order to rest', async () => {
    const rows = stack.database.kysely.selectFrom('orders').select('id').where('state', 'in', LIVE_ORDER_STATES);
    return (await rows.execute()).length === 0;
  });
}

const agreesWithWallet: Check = async (flow) => {
  const { stack, profileId } = flow;
  await cancelStop(flow);
  await stack.stopWorker();
  const market = createMarketReader({ restUrl: stack.paper.url });
  const rules = (await market.rules()).find((each) => each.symbol === SYMBOL);
  assert.ok(rules !== undefined);
  const stored = await stack.database.kysely
    .selectFrom('runner_states')
    .selectAll()
    .where('profile_id', '=', profileId)
    .executeTakeFirstOrThrow();
  const folded = await refoldPosition(stack.database.kysely, { profileId, symbol: SYMBOL }, { rules, cooldownMs: 0 });
  assert.equal(formatDecimal(folded.quantity), formatDecimal(requireDecimal(stored.quantity)));
  const trading = createTrading({ restUrl: stack.paper.url, ...KEY, clock: market.clock });
  const balance = (await trading.wallet()).wallet.balances['BTC'];
  const wallet = requireDecimal(balance?.free ?? '0');
  const difference = subtract(folded.quantity, wallet);
  assert.ok(
    difference < rules.lot.step && -difference < rules.lot.step,
    `position ${formatDecimal(folded.quantity)}, wallet ${formatDecimal(wallet)}`,
  );
  const ledger = await stack.database.kysely
    .selectFrom('ledger_entries')
    .select((each) => each.fn.sum('amount').as('sum'))
    .where('book', '=', 'wallet')
    .where('asset', '=', 'BTC')
    .executeTakeFirstOrThrow();
  assert.equal(formatDecimal(requireDecimal(String(ledger.sum))), formatDecimal(wallet));
};

const countsAndTrace: Check = async (flow) => {
  const { stack, profileId, cache } = flow;
  const store = await openCache({ ...cache, databaseUrl: stack.database.pool.options.connectionString ?? '' });
  try {
    const stored = await store.newest(cacheKeys.tickTrace(profileId), 1000);
    const text = await (await stack.fetch(`/profiles/${profileId}/tick-trace?limit=1000`)).text();
    assert.equal(text, `{"entries":[${stored.join(',')}]}`);
    const all = await store.newest(cacheKeys.tickTrace(profileId), 200_000);
    const counted = await stack.database.kysely
      .selectFrom('action_logs')
      .select((each) => each.fn.sum('count').as('sum'))
      .where('profile_id', '=', profileId)
      .where(sql<boolean>`ctx ->> 'event' = 'decision'`)
      .executeTakeFirstOrThrow();
    assert.equal(Number(counted.sum), tracedTicks(all));
  } finally {
    await store[Symbol.asyncDispose]();
  }
};

const CHECKS: readonly [string, Check][] = [
  ['it trades by itself: three cycles of buy and sell', tradesByItself],
  ['every tick has a decision with numbers in the trace and in the log', recordsEveryTick],
  ['a kill switch stops entries at once and lets exits live', stopsEntries],
  ['position = fold of fills = wallet within one step, and the ledger agrees', agreesWithWallet],
  ['the counts of all log rows sum to the ticks, and tick-trace returns the stored texts verbatim', countsAndTrace],
];

interface TradingMarket {
  /** Holds candles of BTCUSDT. */
  readonly folder: string;
  readonly fromMs: number;
  readonly config: object;
}

/** Invented candles in a separate folder. */
export function swingingMarket(): TradingMarket {
  const folder = mkdtempSync(join(tmpdir(), 'tradewind-candles-'));
  writeSwingingCandles(folder, 60 * 24 * 20);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return { folder, fromMs: MARKET_START + 3_600_000, config: LIVELY };
}

/** The spine: from a market event to the rows an operator sees, on the store that `cache` names. */
export function describeTrading(title: string, { folder, fromMs, config }: TradingMarket, cache: Flow['cache']): void {
  describe(title, () => {
    let flow: Flow | undefined;
    before(async () => {
      const stack = await openStack({ source: { kind: 'replay', folder }, fromMs, speed: 2400, ...cache });
      flow = { stack, cache, profileId: await startProfile(stack, [SYMBOL], { config }) };
    });
    after(async () => {
      await flow?.stack[Symbol.asyncDispose]();
    });
    for (const [name, check] of CHECKS) {
      test(name, async () => {
        assert.ok(flow !== undefined);
        await check(flow);
      });
    }
  });
}
