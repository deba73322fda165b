import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ProfileId } from '#core/ids.ts';
import { NOTIFIER_NAMES } from '#core/installation/notify.ts';
import { NOTIFIERS } from '#integrations/notifiers.ts';
import { openReceiver, type Receiver } from '#integrations/test-receiver.ts';
import {
  changeOpsNotify,
  deleteNotifier,
  listNotifiers,
  readNotifier,
  readOpsNotify,
  saveNotifier,
  testNotifier,
  testOpsNotify,
} from '#api/contract/notifiers.ts';
import { openTestApi, type TestApi } from '#test/api/test-api.ts';

let api: TestApi;
let receiver: Receiver;
let id: ProfileId;
before(async () => {
  api = await openTestApi();
  receiver = await openReceiver();
  await api.signUp();
  id = (await api.addProfile('Told')).profile.id;
});
after(async () => {
  await api[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const secretsStored = async (provider: string): Promise<unknown> => {
  const rows = await api.database.kysely.selectFrom('profile_notifiers').selectAll().execute();
  return rows.find((row) => row.provider === provider)?.secrets;
};

test('secrets go in and never come out; one that is left out stays, plaintext in the database', async () => {
  const params = { id, provider: 'webhook' } as const;
  const secrets = { url: `${receiver.url}/CANARY-path`, signingKey: 'CANARY-key' };
  const saved = await api.send(saveNotifier, { params, body: { secrets } });
  assert.equal(saved.status, 200, saved.text);
  const again = await api.call(saveNotifier, { params, body: { enabled: false, secrets: { url: '' } } });
  assert.deepEqual([again.enabled, again.secrets], [false, { url: true, signingKey: true }]);
  assert.deepEqual(await secretsStored('webhook'), secrets);
  const texts = [saved.text];
  for (const operation of [readNotifier, testNotifier]) texts.push((await api.send(operation, { params })).text);
  texts.push((await api.send(listNotifiers, { params: { id } })).text);
  const audits = await api.database.kysely.selectFrom('audit_logs').selectAll().execute();
  assert.ok(!JSON.stringify([texts, audits]).includes('CANARY'));
});

test('what is wrong is named with its path, and nothing is saved', async () => {
  const save = (provider: (typeof NOTIFIER_NAMES)[number], body: Parameters<typeof Object>[0]) =>
    api.refusal(saveNotifier, { params: { id, provider }, body });
  assert.deepEqual((await save('slack', {})).errors?.[0]?.path, 'secrets.webhookUrl');
  assert.deepEqual(
    (await save('slack', { secrets: { webhookUrl: 'file:///etc' } })).errors?.[0]?.path,
    'secrets.webhookUrl',
  );
  assert.deepEqual((await save('telegram', { secrets: { botToken: '1:a' } })).errors?.[0]?.path, 'settings.chatId');
  assert.deepEqual((await save('ntfy', { settings: { topic: 'a b' } })).errors?.[0]?.path, 'settings.topic');
  assert.deepEqual((await save('ntfy', { settings: { topic: 'a', x: '1' } })).errors?.[0]?.path, 'settings.x');
  assert.deepEqual((await save('ntfy', { rules: { events: ['x'] } })).errors?.[0]?.path, 'rules.events.0');
  assert.equal(await secretsStored('slack'), undefined);
  assert.equal((await api.refusal(readNotifier, { params: { id, provider: 'slack' } })).code, 'not_found');
  const { notifiers } = await api.call(listNotifiers, { params: { id } });
  assert.deepEqual(
    notifiers.map(({ provider }) => provider),
    [...NOTIFIER_NAMES],
  );
});

test('a stored secret is not sent to another server than the one it was given for', async () => {
  const params = { id, provider: 'telegram' } as const;
  const settings = { chatId: '5', serverUrl: receiver.url };
  await api.call(saveNotifier, { params, body: { settings, secrets: { botToken: '1:abc' } } });
  const moved = { ...settings, serverUrl: 'http://elsewhere.example' };
  assert.equal(
    (await api.refusal(saveNotifier, { params, body: { settings: moved } })).errors?.[0]?.path,
    'secrets.botToken',
  );
  await api.call(saveNotifier, { params, body: { settings: { ...settings, chatId: '6' } } });
  assert.deepEqual(await secretsStored('telegram'), { botToken: '1:abc' });
});

test('the test button delivers in the form of the provider and says what the other side answered', async () => {
  const params = { id, provider: 'telegram' } as const;
  receiver.received.length = 0;
  assert.deepEqual(await api.call(testNotifier, { params }), { ok: true, detail: null });
  assert.equal(receiver.received[0]?.path, '/bot1:abc/sendMessage');
  receiver.answer = { status: 403, text: 'the token 1:abc is not welcome' };
  const { ok, detail } = await api.call(testNotifier, { params });
  assert.equal(ok, false);
  assert.match(detail ?? '', /^127\.0\.0\.1:\d+ answered 403: the token \*\*\* is not welcome$/);
  receiver.answer = { status: 302, text: '' };
  assert.match((await api.call(testNotifier, { params })).detail ?? '', /answered 302$/);
  receiver.answer = { status: 200, text: '' };
});

test('ops-notify switches are all on, change one by one, and its test reaches every enabled notifier', async () => {
  assert.ok(Object.values(await api.call(readOpsNotify, {})).every(Boolean));
  const changed = await api.call(changeOpsNotify, { body: { 'orphan-order': false } });
  assert.deepEqual([changed['orphan-order'], changed['job-failed']], [false, true]);
  assert.equal(
    (await api.refusal(changeOpsNotify, { body: { 'job-failed': 'no' as never } })).errors?.[0]?.path,
    'job-failed',
  );
  receiver.received.length = 0;
  const { deliveries } = await api.call(testOpsNotify, {});
  assert.deepEqual(
    deliveries.map(({ provider, ok }) => [provider, ok]),
    [['telegram', true]],
    'the webhook is disabled',
  );
  assert.equal(receiver.received.length, 1);
});

test('a removed notifier takes its secrets with it', async () => {
  const params = { id, provider: 'webhook' } as const;
  await api.call(deleteNotifier, { params });
  assert.equal(await secretsStored('webhook'), undefined);
  assert.equal((await api.refusal(deleteNotifier, { params })).code, 'not_found');
  assert.equal(NOTIFIERS.webhook.secretNames.length, 2);
});
