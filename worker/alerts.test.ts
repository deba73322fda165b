import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { requireDecimal } from '#core/amount/decimal.ts';
import { COMMAND_CHANNEL } from '#core/installation/cache-keys.ts';
import type { BusEvent } from '#core/installation/events.ts';
import type { AccountId } from '#core/ids.ts';
import type { Venue } from '#core/account/account.ts';
import type { Candle } from '#core/market/candle.ts';
import type { AlertRule } from '#core/market/price-alert.ts';
import type { CacheStore } from '#core/ports/cache.ts';
import type { MarketPort } from '#core/ports/exchange.ts';
import { openCache } from '#storage/cache/open-cache.ts';
import { createAccount } from '#storage/operator/accounts.ts';
import { addAlert, listAlerts, rearmAlert } from '#storage/operator/price-alerts.ts';
import { createOperator } from '#storage/operator/users.ts';
import { openTestDatabase, type TestDatabase } from '#test/harness/test-database.ts';
import { until } from '#test/harness/test-outage.ts';
import { judgePrices } from './alerts.ts';
import type { Announcer } from './announcer.ts';

type CandleQuery = Parameters<MarketPort['candles']>[0];
const MINUTE_MS = 60_000;
/** Market time of the judged prices. */
const NOW_MS = 100 * MINUTE_MS;

const log = { info: () => {}, warn: () => {}, error: () => {} };
let stack: AsyncDisposableStack;
let test_: TestDatabase;
let cache: CacheStore;
let accountId: AccountId;
let titles: string[];
let events: BusEvent[];
let announcer: Announcer;
/** Requests for candles, and how many of them still fail. */
let queries: CandleQuery[];
let candleFailures = 0;
/** Messages that the queue still refuses. */
let refusals = 0;

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  test_ = stack.use(await openTestDatabase());
  cache = stack.use(await openCache({ databaseUrl: test_.url }));
  const { kysely } = test_.database;
  const operator = await createOperator(kysely, { email: 'o@example.org', passwordHash: '', timezone: 'UTC' });
  assert.ok(operator !== undefined);
  const created = { userId: operator.id, name: 'Paper', exchangeMode: 'testnet', endpoint: 'paper' } as const;
  const id = await createAccount(kysely, created);
  assert.ok(id !== undefined);
  [accountId, titles, events, refusals] = [id, [], [], 0];
  [queries, candleFailures] = [[], 0];
  announcer = stack.use(await openJudge());
});
afterEach(() => stack.disposeAsync());

/** A worker whose messages are collected. */
function openJudge(): Promise<Announcer> {
  const queue = {
    enqueue: async (_name: string, data: unknown) => {
      if (refusals-- > 0) throw new Error('The queue is not available.');
      titles.push(JSON.stringify(data));
      return undefined;
    },
  };
  const inner: Announcer = {
    announce: (event) => void events.push(event),
    price: () => {},
    forgetCoin: () => {},
    async [Symbol.asyncDispose]() {},
  };
  const candles = async (_venue: Venue, query: CandleQuery): Promise<readonly Candle[]> => {
    queries.push(query);
    if (candleFailures-- > 0) throw new Error('The exchange does not answer.');
    return [
      { openMs: NOW_MS - MINUTE_MS, closeMs: NOW_MS, open: 95, high: 96, low: 95, close: 96, volume: 1, closed: true },
    ];
  };
  const notifyDeps = { liveDemo: false, queue, log };
  return judgePrices(inner, { database: test_.database, cache, log, notifyDeps, candles });
}

const above: AlertRule = { kind: 'above', price: requireDecimal('100') };
const see = (price: string, judge = announcer, symbol = 'BTCUSDT'): void =>
  judge.price({ venue: 'paper', symbol, price: requireDecimal(price), atMs: NOW_MS });
const alert = async () => (await listAlerts(test_.database.kysely, accountId))[0];

async function arm(): Promise<string> {
  const id = await addAlert(test_.database.kysely, { accountId, symbol: 'BTCUSDT', rule: above });
  await cache.publish(COMMAND_CHANNEL, JSON.stringify({ kind: 'alerts-changed' }));
  await until('the alert is known', async () => {
    see('99');
    return (await alert())?.isReady === true;
  });
  return id;
}

test('a crossed level is notified once, stored, and off afterwards', async () => {
  await arm();
  for (const price of ['100', '101', '99', '102']) see(price);
  await until('the message was queued', () => titles.length === 1);
  const stored = await alert();
  assert.equal(stored?.triggeredPrice, '100');
  assert.match(titles[0] ?? '', /"event":"price-alert","title":"BTCUSDT is above 100: 100"/);
  assert.deepEqual(
    events.map(({ topic, id }) => [topic, id]),
    [['account', accountId]],
  );
});

test('two workers that see the same price send one message', async () => {
  const other = stack.use(await openJudge());
  await arm();
  await cache.publish(COMMAND_CHANNEL, JSON.stringify({ kind: 'alerts-changed' }));
  see('100');
  see('100', other);
  await until('the alert was triggered', async () => (await alert())?.triggeredAt !== null);
  await until('the message was queued', () => titles.length > 0);
  assert.equal(titles.length, 1);
});

test('an alert whose message could not be queued stays armed and is sent later', async () => {
  await arm();
  refusals = 1;
  see('100');
  await until('the message was refused', () => refusals === 0);
  await cache.publish(COMMAND_CHANNEL, JSON.stringify({ kind: 'alerts-changed' }));
  await until('the message was queued', () => {
    see('101');
    return titles.length === 1;
  });
  await until('the alert was triggered', async () => (await alert())?.triggeredAt !== null);
});

test('the price of another coin or another venue triggers nothing', async () => {
  await arm();
  see('100', announcer, 'ETHUSDT');
  announcer.price({ venue: 'live', symbol: 'BTCUSDT', price: requireDecimal('100'), atMs: NOW_MS });
  see('99.99');
  assert.equal((await alert())?.triggeredAt, null);
  assert.deepEqual(titles, []);
});

test('an alert that was armed again triggers again', async () => {
  const id = await arm();
  see('100');
  await until('the message was queued', () => titles.length === 1);
  await rearmAlert(test_.database.kysely, id);
  await cache.publish(COMMAND_CHANNEL, JSON.stringify({ kind: 'alerts-changed' }));
  await until('the alert is ready again', async () => {
    see('99');
    return (await alert())?.isReady === true;
  });
  see('103');
  await until('the second message was queued', () => titles.length === 2);
});

/** Arms a move of 5 % within an hour, ten minutes ago, and starts a worker that has seen no price of it. */
async function restartWithMove(): Promise<Announcer> {
  const { kysely } = test_.database;
  const rule: AlertRule = { kind: 'move', percent: requireDecimal('5'), minutes: 60 };
  const id = await addAlert(kysely, { accountId, symbol: 'BTCUSDT', rule });
  const armed_at = new Date(Date.now() - 10 * MINUTE_MS);
  await kysely.updateTable('price_alerts').set({ armed_at }).where('id', '=', id).execute();
  return stack.use(await openJudge());
}

test('after a restart a move counts from the candles since it was armed', async () => {
  const restarted = await restartWithMove();
  await until('the move was triggered', async () => {
    see('100', restarted);
    return (await alert())?.triggeredAt !== null;
  });
  const [query, ...others] = queries;
  assert.deepEqual(others, []);
  assert.deepEqual([query?.symbol, query?.interval], ['BTCUSDT', '1m']);
  const spanMs = NOW_MS - (query?.fromMs ?? 0);
  assert.ok(spanMs >= 10 * MINUTE_MS && spanMs < 20 * MINUTE_MS, `${spanMs} ms`);
});

test('candles that could not be read are requested again when the alerts are read', async () => {
  candleFailures = 1;
  const restarted = await restartWithMove();
  await until('the request failed', () => {
    see('100', restarted);
    return candleFailures === 0;
  });
  await cache.publish(COMMAND_CHANNEL, JSON.stringify({ kind: 'alerts-changed' }));
  await until('the move was triggered', async () => {
    see('100', restarted);
    return (await alert())?.triggeredAt !== null;
  });
  assert.equal(queries.length, 2);
});

test('a move that was just armed needs no candles', async () => {
  const rule: AlertRule = { kind: 'move', percent: requireDecimal('5'), minutes: 60 };
  await addAlert(test_.database.kysely, { accountId, symbol: 'BTCUSDT', rule });
  await cache.publish(COMMAND_CHANNEL, JSON.stringify({ kind: 'alerts-changed' }));
  await until('the move was triggered', async () => {
    see('100');
    see('106');
    return (await alert())?.triggeredAt !== null;
  });
  assert.deepEqual(queries, []);
});
