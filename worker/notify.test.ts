import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, test } from 'node:test';
import { parseEnvironment } from '#core/installation/env.ts';
import { newId, type ProfileId } from '#core/ids.ts';
import { type NotifierName, notifierRules } from '#core/installation/notify.ts';
import type { CacheStore } from '#core/ports/cache.ts';
import type { ActionLogRow } from '#core/ports/records.ts';
import { openReceiver, type Receiver } from '#integrations/test-receiver.ts';
import { createAccount } from '#storage/operator/accounts.ts';
import { saveNotifier } from '#storage/operator/notifiers.ts';
import { openCache } from '#storage/cache/open-cache.ts';
import { createProfile } from '#storage/operator/profiles.ts';
import { openQueue, type Queue } from '#storage/jobs/queue.ts';
import { listDeadLetters } from '#storage/jobs/dead-letters.ts';
import { openTestDatabase, type TestDatabase } from '#test/harness/test-database.ts';
import { until } from '#test/harness/test-outage.ts';
import { createOperator } from '#storage/operator/users.ts';
import { fanOut, send } from '#worker/jobs/notify.ts';
import { notifyAccount, type NotifyDeps, notifyEvent, notifyingSink } from './notify.ts';

const env = parseEnvironment({ DATABASE_URL: 'postgres://127.0.0.1/none', OUTGOING_PRIVATE: 'allow' });
const log = { info: () => {}, warn: () => {}, error: () => {} };
let stack: AsyncDisposableStack;
let test_: TestDatabase;
let queue: Queue;
let cache: CacheStore;
let receiver: Receiver;
let deps: NotifyDeps;
let profileId: ProfileId;

async function addProfile(name: string): Promise<ProfileId> {
  const { kysely } = test_.database;
  const user = await kysely.selectFrom('users').select('id').executeTakeFirst();
  const userId =
    user?.id ?? (await createOperator(kysely, { email: 'o@example.org', passwordHash: '', timezone: 'UTC' }))?.id;
  assert.ok(userId !== undefined);
  const accountId = await createAccount(kysely, { userId, name, exchangeMode: 'testnet', endpoint: 'paper' });
  assert.ok(accountId !== undefined);
  const id = await createProfile(kysely, { accountId, name, strategyName: 'hold', config: {}, enabled: true });
  assert.ok(id !== undefined);
  return id;
}
const configure = (
  provider: NotifierName,
  settings: Record<string, string>,
  secrets: Record<string, string>,
  more = {},
) =>
  saveNotifier(test_.database.kysely, {
    profileId,
    provider,
    enabled: true,
    settings,
    secrets,
    rules: notifierRules.parse({}),
    ...more,
  });

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  test_ = stack.use(await openTestDatabase());
  queue = stack.use(await openQueue(test_.url, { log, retry: { limit: 1, delaySeconds: 1, maxDelaySeconds: 1 } }));
  cache = stack.use(await openCache({ databaseUrl: test_.url }));
  receiver = stack.use(await openReceiver());
  deps = { liveDemo: false, queue, log };
  profileId = await addProfile('Told');
});
afterEach(() => stack.disposeAsync());

async function work(): Promise<void> {
  const { database } = test_;
  await queue.work('notify', (data) => fanOut({ database, queue, env }, data));
  await queue.work('notify-send', (data, run) => send({ database, cache, log, env }, data, run), 4);
}
const jobs = async () => (await test_.database.pool.query(`select * from pgboss.job where name like 'notify%'`)).rows;
const failed = { event: 'order-failed', title: 'BTCUSDT: refused', text: 'Too <small> & late' } as const;

test('a message reaches a configured notifier of every kind in its own form', async () => {
  await configure('slack', {}, { webhookUrl: `${receiver.url}/slack` });
  await configure('discord', {}, { webhookUrl: `${receiver.url}/discord` });
  await configure('telegram', { chatId: '42', serverUrl: receiver.url }, { botToken: '1:abc' });
  await configure('ntfy', { topic: 'trades', serverUrl: receiver.url }, { token: 'tk' });
  await configure('webhook', {}, { url: `${receiver.url}/hook`, signingKey: 'k' });
  await work();
  await notifyEvent(deps, profileId, { ...failed, at: '2026-01-01T00:00:00.000Z' });
  await until('five messages arrived', () => receiver.received.length === 5);
  const of = (path: string) => receiver.received.find((one) => one.path === path);
  assert.deepEqual(of('/slack')?.body, { text: 'BTCUSDT: refused\nToo &lt;small&gt; &amp; late' });
  assert.deepEqual(of('/discord')?.body, {
    content: 'BTCUSDT: refused\nToo <small> & late',
    allowed_mentions: { parse: [] },
  });
  assert.deepEqual(of('/bot1:abc/sendMessage')?.body, {
    chat_id: '42',
    text: 'BTCUSDT: refused\nToo <small> & late',
    link_preview_options: { is_disabled: true },
  });
  assert.equal(of('/')?.headers.authorization, 'Bearer tk');
  assert.deepEqual(of('/')?.body, { topic: 'trades', title: failed.title, message: failed.text });
  const sent = of('/hook')?.body;
  assert.deepEqual(sent, { ...failed, at: '2026-01-01T00:00:00.000Z' });
  const signature = createHmac('sha256', 'k').update(JSON.stringify(sent)).digest('hex');
  assert.equal(of('/hook')?.headers['x-tradewind-signature'], `sha256=${signature}`);
});

test('with the live demo on both fan-outs do nothing at all: no job, no read, nothing sent', async () => {
  await configure('webhook', {}, { url: receiver.url });
  const untouchable = new Proxy(queue, {
    get() {
      throw new Error('The queue was touched.');
    },
  });
  const demo: NotifyDeps = { liveDemo: true, queue: untouchable, log };
  await notifyEvent(demo, profileId, failed);
  await notifyAccount(demo, null, { event: 'job-failed', title: 'x', text: '' });
  const sink = { audit() {}, evidence() {}, log() {}, flush: async () => {} };
  assert.equal(notifyingSink(sink, demo), sink);
  assert.deepEqual(await jobs(), []);
});

test('jobs from before the live demo send nothing and read nothing', async () => {
  await configure('webhook', {}, { url: receiver.url });
  const untouched = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get() {
        throw new Error('A store was touched.');
      },
    });
  const stores = { database: untouched(test_.database), queue: untouched(queue), cache: untouched(cache) };
  const demo = { ...env, LIVE_DEMO: true };
  const notification = { ...failed, at: '' };
  await fanOut({ ...stores, env: demo }, { profileId, notification });
  await send({ ...stores, log, env: demo }, { profileId, provider: 'webhook', notification }, { attempt: 1 });
  assert.deepEqual(receiver.received, []);
});

const letters = () => listDeadLetters(test_.database.kysely);

test('a notifier that never answers does not delay the others, and becomes a dead letter', async () => {
  const dead = stack.use(await openReceiver());
  dead.answer = { status: 500, text: 'broken: Cannot POST /secret-path' };
  await configure('slack', {}, { webhookUrl: `${dead.url}/secret-path` });
  await configure('webhook', {}, { url: receiver.url });
  await work();
  await notifyEvent(deps, profileId, failed);
  await until('the other one was notified', () => receiver.received.length === 1);
  await until('the dead one is given up', async () => (await letters()).length === 1);
  const [letter] = await letters();
  assert.match(
    letter?.errorMessage ?? '',
    /^The slack notifier did not accept a message: 127\.0\.0\.1:\d+ answered 500: broken: Cannot POST \*\*\*\.$/,
  );
  assert.ok(!JSON.stringify(letter).includes('secret-path'));
  assert.equal(receiver.received.length, 1);
});

test('a flood ends with one message about it', async () => {
  await configure('webhook', {}, { url: receiver.url });
  const data = { profileId, provider: 'webhook' } as const;
  for (let i = 0; i < 30; i++) {
    const notification = { ...failed, title: `message ${i}`, at: '' };
    await send({ database: test_.database, cache, log, env }, { ...data, notification }, { attempt: 1 });
  }
  const titles = receiver.received.map(({ body }) => Reflect.get(Object(body), 'title'));
  assert.equal(titles.length, 21);
  assert.equal(titles[19], 'message 19');
  assert.match(String(titles[20]), /more than 20 messages within 10 minutes/);
});

test('an event without a listener is not sent; quiet hours delay a message unless it is urgent', async () => {
  const from = `${String((new Date().getUTCHours() + 23) % 24).padStart(2, '0')}:00`;
  const to = `${String((new Date().getUTCHours() + 2) % 24).padStart(2, '0')}:00`;
  const rules = notifierRules.parse({ quietHours: { from, to }, events: ['order-failed', 'stop-missing'] });
  await configure('webhook', {}, { url: receiver.url }, { rules });
  await configure('slack', {}, { webhookUrl: receiver.url }, { enabled: false });
  const { database } = test_;
  const at = new Date().toISOString();
  const notify = (event: 'order-failed' | 'stop-missing' | 'digest') =>
    fanOut({ database, queue, env }, { profileId, notification: { event, title: event, text: '', at } });
  for (const event of ['order-failed', 'stop-missing', 'digest'] as const) await notify(event);
  const waiting = new Map<unknown, boolean>();
  for (const { data, start_after } of await jobs())
    waiting.set(data.notification.event, new Date(start_after) > new Date(Date.now() + 60_000));
  assert.deepEqual(
    waiting,
    new Map([
      ['order-failed', true],
      ['stop-missing', false],
    ]),
  );
});

test('a message about the account goes once to each place that its profiles notify, unless it is switched off', async () => {
  await configure('webhook', {}, { url: `${receiver.url}/same` });
  profileId = await addProfile('Second');
  await configure('webhook', {}, { url: `${receiver.url}/same` });
  await configure('slack', {}, { webhookUrl: `${receiver.url}/other` });
  await work();
  await notifyAccount(deps, null, { event: 'job-failed', title: 'A job has failed', text: '' });
  await until('both places were notified', () => receiver.received.length === 2);
  assert.deepEqual(receiver.received.map(({ path }) => path).toSorted(), ['/other', '/same']);
  await test_.database.kysely
    .insertInto('service_settings')
    .values({ name: 'ops-notify', value: JSON.stringify({ 'job-failed': false }) })
    .execute();
  await fanOut(
    { database: test_.database, queue, env },
    {
      notification: { event: 'job-failed', title: 'again', text: '', at: '' },
    },
  );
  assert.equal((await jobs()).filter(({ data }) => data.notification.title === 'again').length, 0);
});

test('listed log events become messages: each once, a limit once for a while', async () => {
  const kept: ActionLogRow[] = [];
  const sink = notifyingSink({ audit() {}, evidence() {}, log: (row) => kept.push(row), flush: async () => {} }, deps);
  const at = new Date();
  const row = (ctx: unknown, count = 1): ActionLogRow => ({
    ...{ id: newId(), profileId, symbol: 'BTCUSDT', level: 'warn', msg: 'words', ctx, count },
    ...{ firstAt: at, lastAt: at },
  });
  const limited = { event: 'decision', approval: { kind: 'refused', reason: 'halt-daily-loss' } };
  for (const one of [{ event: 'stop_missing' }, { event: 'other' }, null, limited, limited]) sink.log(row(one));
  sink.log(row({ event: 'stop_missing' }, 2));
  await until('both are in the queue', async () => (await jobs()).length === 2);
  assert.deepEqual(
    new Set((await jobs()).map(({ data }) => data.notification.event)),
    new Set(['limit-reached', 'stop-missing']),
  );
  assert.equal(kept.length, 6, 'every row is kept all the same');
});

test('a queue or a webhook that never answers delays no record and no tick', async () => {
  const kept: string[] = [];
  const sink = {
    ...{ audit: () => {}, evidence: () => {}, flush: async () => {} },
    log: ({ msg }: ActionLogRow) => void kept.push(msg),
  };
  const calls: unknown[] = [];
  const stuck = { enqueue: (...args: unknown[]) => (calls.push(args), new Promise<never>(() => {})) };
  const records = notifyingSink(sink, { liveDemo: false, queue: stuck, log });
  const at = new Date();
  const row = { id: 'x', profileId, symbol: 'BTCUSDT', level: 'error' as const, count: 1, firstAt: at, lastAt: at };
  for (let i = 0; i < 1000; i++) records.log({ ...row, msg: `refused ${i}`, ctx: { event: 'order_rejected' } });
  await records.flush();
  assert.deepEqual(
    [kept.length, calls.length],
    [1000, 1000],
    'each was kept and put on its way without being waited for',
  );
});
