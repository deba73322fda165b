import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Hono } from 'hono';
import { z } from 'zod';
import type { AccountId, ProfileId } from '#core/ids.ts';
import { ofAccount, ofCoin, ofProfile } from '#api/contract/fields.ts';
import { operation } from '#api/contract/operation.ts';
import type { VisitorLimits } from '#api/guard/visitor-limits.ts';
import { openTestApi, type TestApi } from '#test/api/test-api.ts';
import { type ApiEnv, createRoutes } from './handle.ts';
import { mountErrors, mountMiddleware } from './middleware.ts';

const change = { method: 'POST', status: 200, response: z.object({ kept: z.boolean() }) } as const;
const text = 'Changes something for a test';
const OF_ACCOUNT = operation({
  ...change,
  ...ofAccount,
  path: '/of-account/:id',
  summary: text,
  audit: 'test.account',
});
const OF_COIN = operation({ ...change, ...ofCoin, path: '/of-coin/:id/:symbol', summary: text, audit: 'test.coin' });
const OF_NONE = operation({ ...change, auth: 'session', path: '/of-none', summary: text, audit: 'test.none' });
const EITHER = operation({
  ...change,
  ...ofProfile,
  path: '/either/:id',
  summary: text,
  audit: ['test.on', 'test.off'],
});
const SILENT = operation({ ...change, ...ofProfile, path: '/silent/:id', summary: text, audit: 'test.silent' });
const HALF = operation({ ...change, ...ofProfile, path: '/half/:id', summary: text, audit: 'test.half' });

const NONE: VisitorLimits | undefined = undefined;

let api: TestApi;
let app: Hono<ApiEnv>;
let ids: { readonly account: AccountId; readonly profile: ProfileId };
before(async () => {
  api = await openTestApi();
  await api.signUp();
  const { account, profile } = await api.addProfile('Changed', { symbols: ['BTCUSDT'] });
  ids = { account: account.id, profile: profile.id };
  app = new Hono<ApiEnv>();
  mountMiddleware(app, api.context, NONE);
  mountErrors(app, api.context);
  const { handle } = createRoutes(app, { context: api.context, guard: api.context, visitors: NONE });
  const kept = { kept: true };
  handle(OF_ACCOUNT, ({ commit }) => commit(async ({ account: { name } }) => ({ answer: kept, before: name })));
  handle(OF_COIN, ({ commit }) => commit(async ({ bound }) => ({ answer: kept, after: bound.symbol })));
  handle(OF_NONE, ({ commit }) => commit(async () => ({ answer: kept, unchanged: true })));
  handle(EITHER, ({ commit }) => commit(async () => ({ answer: kept, action: 'test.off' })));
  handle(SILENT, async () => kept);
  handle(HALF, ({ commit }) =>
    commit(async ({ transaction, profile }) => {
      await transaction.updateTable('profiles').set({ name: 'Half' }).where('id', '=', profile.id).execute();
      throw new Error('It fails after its change.');
    }),
  );
});
after(() => api[Symbol.asyncDispose]());

const post = async (path: string): Promise<number> => {
  const headers = { origin: 'http://app.test:8080', cookie: api.cookie ?? '' };
  return (await app.request(`http://app.test:8080/api${path}`, { method: 'POST', headers })).status;
};
const audited = async (action: string) =>
  api.database.kysely
    .selectFrom('audit_logs')
    .select(['subject', 'before', 'after', 'user_id'])
    .where('action', '=', action)
    .execute();

test('a change is audited under its subject with the values that it returns', async () => {
  assert.equal(await post(`/of-account/${ids.account}`), 200);
  const [row] = await audited('test.account');
  assert.deepEqual([row?.subject, row?.before, row?.after], [ids.account, 'Changed account', null]);
  assert.ok(row?.user_id);
});

test('a change of a coin is audited under profile and coin, and one that is not bound answers 404', async () => {
  assert.equal(await post(`/of-coin/${ids.profile}/BTCUSDT`), 200);
  assert.deepEqual(
    (await audited('test.coin')).map(({ subject, after: coin }) => [subject, coin]),
    [[`${ids.profile}:BTCUSDT`, 'BTCUSDT']],
  );
  assert.equal(await post(`/of-coin/${ids.profile}/ETHUSDT`), 404);
});

test('an operation with several actions is audited with the one of its outcome', async () => {
  assert.equal(await post(`/either/${ids.profile}`), 200);
  assert.deepEqual([(await audited('test.on')).length, (await audited('test.off')).length], [0, 1]);
});

test('nothing is audited when nothing was changed', async () => {
  assert.equal(await post('/of-none'), 200);
  assert.deepEqual(await audited('test.none'), []);
});

test('an operation that declares an audit action fails when it answers without a commit', async () => {
  assert.equal(await post(`/silent/${ids.profile}`), 500);
});

test('a change that fails is neither kept nor audited', async () => {
  assert.equal(await post(`/half/${ids.profile}`), 500);
  assert.deepEqual(await audited('test.half'), []);
  const row = await api.database.kysely.selectFrom('profiles').select('name').executeTakeFirstOrThrow();
  assert.equal(row.name, 'Changed');
});

test('an account that does not exist answers 404', async () => {
  assert.equal(await post('/of-account/01890000-0000-7000-8000-000000000000'), 404);
});
