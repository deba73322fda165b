import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId } from '#core/ids.ts';
import { readAction } from '#api/contract/actions.ts';
import { forceSell } from '#api/contract/manual.ts';
import { openTestApi, type TestApi } from '#test/api/test-api.ts';

let api: TestApi;
before(async () => {
  api = await openTestApi();
  await api.signUp();
});
after(() => api[Symbol.asyncDispose]());

test('a worker action is requested with an audit row, and its outcome can be read', async () => {
  const { account, profile } = await api.addProfile('Asking', { symbols: ['BTCUSDT'] });
  const params = { id: profile.id, symbol: 'BTCUSDT' };
  const headers = { 'x-forwarded-for': '203.0.113.7' };
  const { actionId } = await api.call(forceSell, { params, body: {} }, { headers });
  const action = await api.call(readAction, { params: { id: account.id, actionId } });
  assert.deepEqual(
    [action.state, action.kind, action.profileId, action.symbol, action.payload, action.reason, action.finishedAt],
    ['pending', 'force-sell', profile.id, 'BTCUSDT', {}, null, null],
  );
  assert.equal(Date.parse(action.expiresAt) - Date.parse(action.requestedAt) > 299_000, true);
  const audit = await api.database.kysely
    .selectFrom('audit_logs')
    .select(['subject', 'after', 'ip'])
    .where('action', '=', 'force-sell')
    .executeTakeFirstOrThrow();
  assert.deepEqual(audit, {
    subject: `${profile.id}:BTCUSDT`,
    after: { actionId, payload: {} },
    ip: '203.0.113.7',
  });
  const unknown = { id: account.id, actionId: newId<string>() };
  assert.equal((await api.refusal(readAction, { params: unknown })).code, 'not_found');
});
