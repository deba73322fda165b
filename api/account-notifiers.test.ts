import assert from 'node:assert/strict';
import { createECDH, randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { AccountId } from '#core/ids.ts';
import { openReceiver, type Receiver } from '#integrations/test-receiver.ts';
import {
  addBrowser,
  changeBrowser,
  deleteAccountNotifier,
  deleteBrowser,
  listAccountNotifiers,
  preparePush,
  saveAccountNotifier,
  testAccountNotifier,
  testBrowser,
} from '#api/contract/account-notifiers.ts';
import { openTestApi, type TestApi } from '#test/api/test-api.ts';

let api: TestApi;
let receiver: Receiver;
let id: AccountId;
before(async () => {
  api = await openTestApi();
  receiver = await openReceiver();
  await api.signUp();
  id = (await api.addProfile('Notified')).profile.accountId;
});
after(async () => {
  await api[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

test('a new notifier of an account receives fills and price alerts', async () => {
  const params = { id, provider: 'webhook' } as const;
  const saved = await api.call(saveAccountNotifier, { params, body: { secrets: { url: receiver.url } } });
  assert.ok(saved.rules.events.includes('order-filled') && saved.rules.events.includes('price-alert'));
});

test('secrets of an account go in and never come out; an omitted one stays', async () => {
  const params = { id, provider: 'webhook' } as const;
  const secrets = { url: `${receiver.url}/CANARY-path`, signingKey: 'CANARY-key' };
  const texts = [(await api.send(saveAccountNotifier, { params, body: { secrets } })).text];
  const again = await api.call(saveAccountNotifier, { params, body: { enabled: false } });
  assert.deepEqual([again.enabled, again.secrets], [false, { url: true, signingKey: true }]);
  texts.push((await api.send(listAccountNotifiers, { params: { id } })).text);
  const audits = await api.database.kysely.selectFrom('audit_logs').selectAll().execute();
  assert.ok(!JSON.stringify([texts, audits]).includes('CANARY'));
});

test('the test of a channel returns what the receiver answered', async () => {
  const params = { id, provider: 'webhook' } as const;
  receiver.received.splice(0);
  assert.deepEqual(await api.call(testAccountNotifier, { params }), { ok: true, detail: null });
  assert.equal(receiver.received.length, 1);
});

test('a removed notifier is gone, and removing it again answers 404', async () => {
  const params = { id, provider: 'webhook' } as const;
  await api.call(deleteAccountNotifier, { params });
  assert.equal((await api.refusal(deleteAccountNotifier, { params })).code, 'not_found');
});

const keys = () => {
  const browser = createECDH('prime256v1');
  browser.generateKeys();
  return { p256dh: browser.getPublicKey('base64url'), auth: randomBytes(16).toString('base64url') };
};

test('the key of browser notifications is made once', async () => {
  const first = await api.call(preparePush, { params: { id } });
  assert.equal(Buffer.from(first.publicKey, 'base64url').length, 65);
  assert.deepEqual(await api.call(preparePush, { params: { id } }), first);
  const audits = await api.database.kysely
    .selectFrom('audit_logs')
    .select('after')
    .where('action', '=', 'push-key.create')
    .execute();
  assert.equal(audits.length, 1);
});

test('a browser is stored once, without its address and keys in any answer', async () => {
  const body = { label: 'Chrome on Linux', endpoint: 'https://push.example/CANARY', ...keys() };
  const added = await api.call(addBrowser, { params: { id }, body });
  const again = await api.call(addBrowser, { params: { id }, body: { ...body, ...keys() } });
  assert.equal(again.id, added.id);
  const listed = await api.send(listAccountNotifiers, { params: { id } });
  assert.ok(listed.text.includes('Chrome on Linux') && !listed.text.includes('CANARY'));
});

test('a browser keeps its events when it subscribes again', async () => {
  const { browsers } = await api.call(listAccountNotifiers, { params: { id } });
  const [browser] = browsers;
  assert.ok(browser !== undefined);
  const params = { id, browserId: browser.id };
  await api.call(changeBrowser, { params, body: { rules: { events: ['price-alert'] } } });
  const body = { label: 'Chrome on Linux', endpoint: 'https://push.example/CANARY', ...keys() };
  assert.deepEqual((await api.call(addBrowser, { params: { id }, body })).rules.events, ['price-alert']);
  await api.call(deleteBrowser, { params });
  assert.equal((await api.refusal(testBrowser, { params })).code, 'not_found');
});

test('an address that is not https is refused', async () => {
  const body = { label: 'x', endpoint: 'http://push.example/a', ...keys() };
  assert.equal((await api.refusal(addBrowser, { params: { id }, body })).errors?.[0]?.path, 'endpoint');
});
