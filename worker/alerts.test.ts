import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { requireDecimal } from '#core/amount/decimal.ts';
import { COMMAND_CHANNEL } from '#core/installation/cache-keys.ts';
import type { BusEvent } from '#core/installation/events.ts';
import type { AccountId } from '#core/ids.ts';
import type { AlertRule } from '#core/market/price-alert.ts';
import type { CacheStore } from '#core/ports/cache.ts';
import { openCache } from '#storage/cache/open-cache.ts';
import { createAccount } from '#storage/operator/accounts.ts';
import { addAlert, listAlerts, rearmAlert } from '#storage/operator/price-alerts.ts';
import { createOperator } from '#storage/operator/users.ts';
import { openTestDatabase, type TestDatabase } from '#test/harness/test-database.ts';
import { until } from '#test/harness/test-outage.ts';
import { judgePrices } from './alerts.ts';
import type { Announcer } from './announcer.ts';

const log = { info: () => {}, warn: () => {}, error: () => {} };
let stack: AsyncDisposableStack;
let test_: TestDatabase;
let cache: CacheStore;
let accountId: AccountId;
let titles: string[];
let events: BusEvent[];
let announcer: Announcer;
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
  return judgePrices(inner, { database: test_.database, cache, log, notifyDeps: { liveDemo: false, queue, log } });
}

const above: AlertRule = { kind: 'above', price: requireDecimal('100') };
const see = (price: string, judge = announcer, symbol = 'BTCUSDT'): void =>
  judge.price({ venue: 'paper', symbol, price: requireDecimal(price), atMs: 1_000 });
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
  announcer.price({ venue: 'live', symbol: 'BTCUSDT', price: requireDecimal('100'), atMs: 1_000 });
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
