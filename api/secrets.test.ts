import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPERATIONS } from '#api/contract/contract.ts';
import { changeAiProvider } from '#api/contract/ai-provider.ts';
import { createAccount, saveApiKey } from '#api/contract/accounts.ts';
import { createProfile } from '#api/contract/profiles.ts';
import { EMAIL, openTestApi, PASSWORD } from '#test/api/test-api.ts';

test('no response of any operation contains a stored secret', async () => {
  await using api = await openTestApi({ paperKey: { apiKey: 'CANARY-paper-key-9999', secret: 'CANARY-paper-secret' } });
  await api.signUp();
  const account = await api.call(createAccount, { body: { name: 'Main', exchangeMode: 'testnet' } });
  const key = { label: 'l', apiKey: 'CANARY-api-key-8888', secret: 'CANARY-secret' };
  const stored = await api.send(saveApiKey, { params: { id: account.id }, body: key });
  const body = { accountId: account.id, name: 'P', strategyName: 'hold', symbols: ['BTCUSDT'] };
  const { profile } = await api.call(createProfile, { body });
  const ai = {
    provider: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:9',
    model: 'm',
    credential: 'CANARY-endpoint-key-7777',
  } as const;
  const answer = await api.send(changeAiProvider, { body: ai });
  assert.match(answer.text, /"last4":"7777"/);
  const user = await api.database.kysely.selectFrom('users').select('password_hash').executeTakeFirstOrThrow();
  const texts = [stored.text, answer.text];
  const bodies = [
    '{}',
    '{"name":"N"}',
    JSON.stringify(body),
    JSON.stringify(key),
    `{"email":"${EMAIL}","password":"${PASSWORD}"}`,
  ];
  // Deletes come last, so that the rest finds something.
  const order = OPERATIONS.toSorted((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));
  for (const operation of order.filter(({ path }) => path !== '/auth/sign-out')) {
    const id = operation.path.startsWith('/accounts') ? account.id : profile.id;
    const path = operation.path.replace(':id', id).replace(':symbol', 'BTCUSDT');
    const query = `?accountId=${account.id}`;
    for (const text of operation.method === 'GET' || operation.method === 'DELETE' ? [undefined] : bodies) {
      const headers = { 'content-type': 'application/json' };
      for (const search of path === '/symbols' ? [query] : ['']) {
        const sent = text === undefined ? {} : { headers, body: text };
        texts.push((await api.request(operation.method, `/api${path}${search}`, sent)).text);
      }
    }
  }
  assert.ok(
    texts.some((text) => text.includes('"last4":"8888"')),
    'the account itself was shown',
  );
  const leaks = texts.filter(
    (text) => text.includes('CANARY') || text.includes(user.password_hash) || text.includes('argon2'),
  );
  assert.deepEqual(leaks, []);
});
