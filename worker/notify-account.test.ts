import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { parseEnvironment } from '#core/installation/env.ts';
import type { AccountId, ProfileId } from '#core/ids.ts';
import { channelRules, notifierRules } from '#core/installation/notify.ts';
import type { CacheStore } from '#core/ports/cache.ts';
import { openReceiver, type Receiver } from '#integrations/test-receiver.ts';
import { listDeliveries, saveAccountNotifier } from '#storage/operator/account-notifiers.ts';
import { createAccount } from '#storage/operator/accounts.ts';
import { saveNotifier } from '#storage/operator/notifiers.ts';
import { openCache } from '#storage/cache/open-cache.ts';
import { createProfile } from '#storage/operator/profiles.ts';
import { openQueue, type Queue } from '#storage/jobs/queue.ts';
import { openTestDatabase, type TestDatabase } from '#test/harness/test-database.ts';
import { until } from '#test/harness/test-outage.ts';
import { createOperator } from '#storage/operator/users.ts';
import { fanOut, send } from '#worker/jobs/notify.ts';

const env = parseEnvironment({ DATABASE_URL: 'postgres://127.0.0.1/none', OUTGOING_PRIVATE: 'allow' });
const log = { info: () => {}, warn: () => {}, error: () => {} };
let stack: AsyncDisposableStack;
let test_: TestDatabase;
let queue: Queue;
let cache: CacheStore;
let receiver: Receiver;
let accountId: AccountId;
let profileId: ProfileId;

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  test_ = stack.use(await openTestDatabase());
  queue = stack.use(await openQueue(test_.url, { log, retry: { limit: 1, delaySeconds: 1, maxDelaySeconds: 1 } }));
  cache = stack.use(await openCache({ databaseUrl: test_.url }));
  receiver = stack.use(await openReceiver());
  const { kysely } = test_.database;
  const operator = await createOperator(kysely, { email: 'o@example.org', passwordHash: '', timezone: 'UTC' });
  assert.ok(operator !== undefined);
  const account = { userId: operator.id, name: 'Paper', exchangeMode: 'testnet', endpoint: 'paper' } as const;
  const created = await createAccount(kysely, account);
  assert.ok(created !== undefined);
  accountId = created;
  const profile = { accountId, name: 'First', strategyName: 'hold', config: {}, enabled: true };
  const added = await createProfile(kysely, profile);
  assert.ok(added !== undefined);
  profileId = added;
});
afterEach(() => stack.disposeAsync());

async function work(): Promise<void> {
  const { database } = test_;
  await queue.work('notify', (data) => fanOut({ database, queue, env }, data));
  await queue.work('notify-send', (data, run) => send({ database, cache, log, env }, data, run), 4);
}

const configure = (path: string, rules = channelRules.parse({})): Promise<string> =>
  saveAccountNotifier(test_.database.kysely, {
    ...{ accountId, provider: 'webhook', label: '', enabled: true, settings: {}, rules },
    secrets: { url: `${receiver.url}${path}` },
  });
const at = '2026-01-01T00:00:00.000Z';
const filled = { event: 'order-filled', title: 'Bought 0.1 BTC', text: '', at } as const;
const paths = (): string[] => receiver.received.map(({ path }) => path).toSorted();

test('an event of a profile reaches the notifier of its account', async () => {
  await configure('/account');
  await work();
  await queue.enqueue('notify', { profileId, notification: filled });
  await until('the message arrived', () => receiver.received.length === 1);
  assert.deepEqual(paths(), ['/account']);
});

test('a profile and its account with the same receiver send a message once', async () => {
  await configure('/same');
  await saveNotifier(test_.database.kysely, {
    ...{ profileId, provider: 'webhook', enabled: true, settings: {} },
    secrets: { url: `${receiver.url}/same` },
    rules: notifierRules.parse({ events: ['order-filled'] }),
  });
  const sent: string[] = [];
  const counting = { enqueue: async (name: string) => (sent.push(name), undefined) };
  await fanOut({ database: test_.database, queue: counting, env }, { profileId, notification: filled });
  assert.deepEqual(sent, ['notify-send']);
});

test('a price alert reaches only channels of the account that want it', async () => {
  const id = await configure('/account');
  await saveNotifier(test_.database.kysely, {
    ...{ profileId, provider: 'webhook', enabled: true, settings: {}, rules: notifierRules.parse({}) },
    secrets: { url: `${receiver.url}/profile` },
  });
  await work();
  const notification = { event: 'price-alert', title: 'BTCUSDT is above 1: 2', text: '', at } as const;
  await queue.enqueue('notify', { accountId, notification });
  await until('the message arrived', () => receiver.received.length === 1);
  assert.deepEqual(paths(), ['/account']);
  const rules = channelRules.parse({ events: [] });
  const secrets = { url: `${receiver.url}/account` };
  const muted = { id, accountId, provider: 'webhook', label: '', enabled: true, settings: {}, secrets, rules } as const;
  await saveAccountNotifier(test_.database.kysely, muted);
  const sent: string[] = [];
  const counting = { enqueue: async (name: string) => (sent.push(name), undefined) };
  await fanOut({ database: test_.database, queue: counting, env }, { accountId, notification });
  assert.deepEqual(sent, []);
});

test('the result of each message of an account is kept, also of a failed one', async () => {
  const notifierId = await configure('/account');
  const deps = { database: test_.database, cache, log, env };
  await send(deps, { notifierId, notification: filled }, { attempt: 1 });
  receiver.answer = { status: 503, text: 'busy' };
  await assert.rejects(send(deps, { notifierId, notification: filled }, { attempt: 2 }), /answered 503/);
  const kept = await listDeliveries(test_.database.kysely, accountId);
  assert.deepEqual(
    kept.map(({ channel, title, error }) => [channel, title, error === null]),
    [
      ['Webhook', 'Bought 0.1 BTC', false],
      ['Webhook', 'Bought 0.1 BTC', true],
    ],
  );
});
