import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId } from '#core/ids.ts';
import { readOperator } from '#storage/operator/users.ts';
import { requestWorkerAction } from './request-worker-action.ts';
import { readAction } from '#api/contract/actions.ts';
import { openTestApi, type TestApi } from '#test/api/test-api.ts';

let api: TestApi;
before(async () => {
  api = await openTestApi();
  await api.signUp();
});
after(() => api[Symbol.asyncDispose]());

test('a worker action is requested with an audit row, and its outcome can be read', async () => {
  const { account, profile } = await api.addProfile('Asking');
  const user = (await readOperator(api.database.kysely)) ?? assert.fail('no operator has signed up');
  const who = {
    operator: { user, session: null },
    caller: { ip: '203.0.113.7', userAgent: 'test', secure: false, cookieNames: ['c'] as const },
  };
  const request = {
    accountId: account.id,
    profileId: profile.id,
    symbol: 'BTCUSDT',
    kind: 'wave',
    payload: { hand: 'left' },
  };
  const actionId = await api.database.transaction((transaction) => requestWorkerAction(transaction, who, request));
  const action = await api.call(readAction, { params: { id: account.id, actionId } });
  assert.deepEqual(
    [action.state, action.kind, action.profileId, action.symbol, action.payload, action.reason, action.finishedAt],
    ['pending', 'wave', profile.id, 'BTCUSDT', { hand: 'left' }, null, null],
  );
  assert.equal(Date.parse(action.expiresAt) - Date.parse(action.requestedAt) > 299_000, true);
  const audit = await api.database.kysely
    .selectFrom('audit_logs')
    .select(['subject', 'after', 'ip'])
    .where('action', '=', 'wave')
    .executeTakeFirstOrThrow();
  assert.deepEqual(audit, {
    subject: `${profile.id}:BTCUSDT`,
    after: { actionId, payload: { hand: 'left' } },
    ip: '203.0.113.7',
  });
  const unknown = { id: account.id, actionId: newId<string>() };
  assert.equal((await api.refusal(readAction, { params: unknown })).code, 'not_found');
});
