import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { TokenScope } from '#core/installation/token-scopes.ts';
import { listAccounts, readAccount } from '#api/contract/accounts.ts';
import { OPERATIONS } from '#api/contract/contract.ts';
import { readKillSwitch, setKillSwitch, setProfileKillSwitch } from '#api/contract/halts.ts';
import { listProfiles, readProfile } from '#api/contract/profiles.ts';
import { readOpenApi } from '#api/contract/reference.ts';
import { needOf } from '#api/contract/scopes.ts';
import { currentSession } from '#api/contract/session.ts';
import { createToken, listTokens, revokeAllTokens, revokeToken } from '#api/contract/tokens.ts';
import { listAuditLogs } from '#api/contract/upkeep.ts';
import { serveApi } from '#api/serve.ts';
import { createClient } from '#api/script-client.ts';
import { openTestApi, ORIGIN, problemOf, type TestApi } from '#test/api/test-api.ts';
import { BODY_ODD, describe, digestOf, Generator, ODD } from '#test/api/test-requests.ts';

const lines: string[] = [];
let api: TestApi;
before(async () => {
  api = await openTestApi({ logTo: { write: (line) => void lines.push(line) } });
  await api.signUp();
});
after(() => api[Symbol.asyncDispose]());

const create = (scopes: readonly TokenScope[], more: { accountIds?: string[]; days?: number } = {}) =>
  api.call(createToken, { body: { name: 'A script', scopes: [...scopes], ...more } });
const bearer = (token: string) => ({ cookie: null, headers: { authorization: `Bearer ${token}`, origin: ORIGIN } });

test('a token is 256 random bits with a prefix and a checksum, and only its digest is stored', async () => {
  const { token } = await create(['read']);
  assert.match(token, /^tw_[\w-]{49}$/);
  const { rows } = await api.database.pool.query<{ row: string }>('select t::text as row from api_tokens t');
  assert.ok(rows.every(({ row }) => !row.includes(token) && !row.includes(token.slice(3, 30))));
});

test('a token reads without a cookie, an origin or the client header', async () => {
  const { token } = await create(['read']);
  const response = await fetch(`${api.url}/api/profiles`, { headers: { authorization: `Bearer ${token}` } });
  assert.equal(response.status, 200);
});

test('a client with a token never signs in', async () => {
  const { token } = await create(['read']);
  const credentials = () => assert.fail('it must not ask for a password');
  const client = createClient({ url: api.url, token, credentials });
  assert.ok(Array.isArray((await client.call(listProfiles, {})).profiles));
  const bad = createClient({ url: api.url, token: `${token}x`, credentials });
  await assert.rejects(bad.call(listProfiles, {}), /unknown, expired or revoked/);
});

test('a bad token is refused even next to the cookie of a valid session', async () => {
  const headers = { authorization: `Bearer tw_${'a'.repeat(49)}` };
  const reply = await api.send(listProfiles, {}, { headers });
  assert.equal(problemOf(reply).code, 'bad_token');
  assert.match(reply.headers.get('www-authenticate') ?? '', /^Bearer/);
});

test('the Authorization header of a proxy in front leaves the session as it is', async () => {
  const headers = { authorization: 'Basic dXNlcjpwYXNz' };
  assert.equal((await api.send(listProfiles, {}, { headers })).status, 200);
});

test('a request with a token from a page of a foreign origin is refused', async () => {
  const { token } = await create(['read']);
  const headers = { authorization: `Bearer ${token}`, origin: 'https://elsewhere.example' };
  assert.equal((await api.refusal(listProfiles, {}, { cookie: null, headers })).code, 'origin_rejected');
});

test('bad tokens of one address are counted, and a good token passes meanwhile', async () => {
  const { token } = await create(['read']);
  const address = { 'x-forwarded-for': '203.0.113.9' };
  const wrong = { cookie: null, headers: { ...address, authorization: 'Bearer tw_wrong' } };
  const codes: string[] = [];
  for (let i = 0; i < 21; i++) codes.push((await api.refusal(listProfiles, {}, wrong)).code);
  assert.deepEqual([codes[19], codes[20]], ['bad_token', 'too_many_attempts']);
  const good = bearer(token);
  const reply = await api.send(listProfiles, {}, { ...good, headers: { ...good.headers, ...address } });
  assert.equal(reply.status, 200);
});

test('an expired token is refused', async () => {
  const { token } = await create(['read'], { days: 1 });
  await api.database.pool.query(
    `update api_tokens set created_at = created_at - interval '2 days', expires_at = expires_at - interval '2 days'
      where hint = $1`,
    [token.slice(-6)],
  );
  assert.equal((await api.refusal(listProfiles, {}, bearer(token))).code, 'bad_token');
});

test('a revoked token is refused by the next request on every replica of the api', async () => {
  await using second = await serveApi(api.context, { host: '127.0.0.1', port: 0 });
  const { id, token } = await create(['read']);
  const send = async (url: string) =>
    (await fetch(`${url}/api/profiles`, { headers: { authorization: `Bearer ${token}` } })).status;
  const replicas = [api.url, `http://127.0.0.1:${second.port}`];
  assert.deepEqual(await Promise.all(replicas.map(send)), [200, 200]);
  await api.call(revokeToken, { params: { id } });
  assert.deepEqual(await Promise.all(replicas.map(send)), [401, 401]);
  assert.equal((await api.refusal(revokeToken, { params: { id } })).code, 'not_found');
});

test('every token is revoked at once', async () => {
  const { token } = await create(['read']);
  assert.ok((await api.call(revokeAllTokens, {})).revoked > 0);
  assert.equal((await api.refusal(listProfiles, {}, bearer(token))).code, 'bad_token');
  assert.equal((await api.call(revokeAllTokens, {})).revoked, 0);
});

test('the use of a token is recorded', async () => {
  const { id, token } = await create(['read']);
  const use = bearer(token);
  await api.call(listProfiles, {}, { ...use, headers: { ...use.headers, 'x-forwarded-for': '203.0.113.77' } });
  const row = (await api.call(listTokens, {})).tokens.find((candidate) => candidate.id === id);
  assert.equal(row?.lastIp, '203.0.113.77');
  assert.ok(row.lastUsedAt !== null);
});

test('no token reaches sessions, keys, backups, other tokens or orders', async () => {
  const { token } = await create(['read', 'research', 'trade', 'manage']);
  for (const operation of [currentSession, listTokens, createToken]) {
    const reply = await api.request(operation.method, `/api${operation.path}`, bearer(token));
    assert.equal(problemOf(reply).code, 'out_of_scope', operation.path);
  }
  const session = OPERATIONS.filter((operation) => needOf(operation) === 'session').map(({ path }) => path);
  for (const path of ['/backup', '/restore', '/accounts/:id/api-key', '/auth/sessions', '/ai-provider', '/tokens'])
    assert.ok(session.includes(path), path);
});

test('the scope that an operation needs is in the OpenAPI document', async () => {
  const document = JSON.stringify(await api.call(readOpenApi, {}));
  assert.match(document, /"token":\{"type":"http","scheme":"bearer"/);
  for (const scope of ['read', 'research', 'trade', 'manage']) assert.ok(document.includes(`"x-scope":"${scope}"`));
});

test('a token engages a kill switch and cannot release it, nor stop exits or weaken a stronger one', async () => {
  const { profile } = await api.addProfile('Stopped');
  const params = { id: profile.id };
  const use = bearer((await create(['read'])).token);
  for (const body of [{ engaged: false }, { engaged: true, freeze: true }, { engaged: true, cancelEntryOrders: true }])
    assert.equal((await api.refusal(setProfileKillSwitch, { params, body }, use)).code, 'out_of_scope');
  assert.equal((await api.call(setProfileKillSwitch, { params, body: { engaged: true } }, use)).engaged, true);
  const { rows } = await api.call(listAuditLogs, { query: { action: 'kill-switch.engage' } });
  assert.equal(rows[0]?.actor?.name, 'A script');
  await api.call(setKillSwitch, { body: { engaged: true, freeze: true } });
  await api.call(setKillSwitch, { body: { engaged: true } }, use);
  assert.equal((await api.call(readKillSwitch, {})).freeze, true);
  await api.call(setKillSwitch, { body: { engaged: false } });
});

test('a token for one account does not see another one', async () => {
  const [mine, other] = [await api.addProfile('Mine'), await api.addProfile('Other')];
  const use = bearer((await create(['read'], { accountIds: [mine.account.id] })).token);
  assert.equal((await api.call(readAccount, { params: { id: mine.account.id } }, use)).name, 'Mine account');
  assert.equal((await api.refusal(readAccount, { params: { id: other.account.id } }, use)).code, 'not_found');
  assert.equal((await api.refusal(readProfile, { params: { id: other.profile.id } }, use)).code, 'not_found');
  assert.deepEqual(
    (await api.call(listAccounts, {}, use)).accounts.map(({ id }) => id),
    [mine.account.id],
  );
  assert.deepEqual(
    (await api.call(listProfiles, {}, use)).profiles.map(({ id }) => id),
    [mine.profile.id],
  );
  assert.equal((await api.refusal(setKillSwitch, { body: { engaged: true } }, use)).code, 'out_of_scope');
});

test('a token appears in the answer that creates it, and in no other answer, record or log line', async () => {
  const { token } = await create(['read']);
  await api.call(listProfiles, {}, bearer(token));
  await api.request('GET', `/api/nothing/${token}`, bearer(token));
  const answers = [await api.call(listTokens, {}), await api.call(listAuditLogs, {})];
  const tables = await api.database.pool.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  const rows = await Promise.all(
    tables.rows.map(async ({ name }) => (await api.database.pool.query(`select t::text from "${name}" t`)).rows),
  );
  for (const text of [JSON.stringify(answers), JSON.stringify(rows), lines.join('')]) {
    assert.ok(text.length > 0);
    assert.equal(text.includes(token.slice(3)), false);
  }
});

test('a token of scope read changes nothing through any operation, whatever it sends', async () => {
  const { account, profile } = await api.addProfile('Read only', { symbols: ['BTCUSDT'] });
  const { token } = await create(['read']);
  const generator = new Generator(7, [account.id, profile.id, '01890000-0000-7000-8000-000000000000']);
  const digest = await digestOf(api);
  const statuses = new Map<number, number>();
  for (const operation of OPERATIONS.filter(({ auth }) => auth === 'session')) {
    const { query, body } = describe(operation);
    const state = await digest();
    for (let round = 0; round < 4; round++) {
      const place = operation.path.replaceAll(/:(\w+)/g, (_, name: string) => {
        if (name === 'id') return operation.path.startsWith('/accounts') ? account.id : profile.id;
        return generator.pick(['BTCUSDT', 'webhook', '1', ...generator.ids]);
      });
      const search = new URLSearchParams(
        query.map(([name, schema]) => [name, String(generator.value(schema, ODD)).toWellFormed()]),
      );
      const sent = generator.value(body, BODY_ODD);
      // A kill switch may be engaged by every token.
      const isStop = operation.path.endsWith('kill-switch');
      const text = JSON.stringify(isStop ? { ...Object(sent), engaged: false } : sent) ?? 'null';
      const { cookie, headers } = bearer(token);
      const reply = await api.request(operation.method, `/api${place}${query.length === 0 ? '' : `?${search}`}`, {
        cookie,
        headers: { ...headers, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: text }),
      });
      statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
      if (operation.method !== 'GET' && operation.reads !== true)
        assert.ok(reply.status >= 400, `${operation.method} ${place} answered ${reply.status}`);
    }
    assert.equal(await digest(), state, `${operation.method} ${operation.path} has changed something`);
  }
  assert.ok((statuses.get(200) ?? 0) > 50 && (statuses.get(403) ?? 0) > 100, JSON.stringify([...statuses]));
});

test('in a live demo a valid token is refused, and a bad one does not become the operator', async () => {
  const text = (await create(['read'])).token;
  await using demo = await openTestApi({ liveDemo: true });
  await demo.signUp();
  const { rows } = await api.database.pool.query('select * from api_tokens where hint = $1', [text.slice(-6)]);
  await demo.database.pool.query(
    `insert into api_tokens select id, (select id from users), name, token_hash, hint, scopes, account_ids, created_at,
      expires_at from json_populate_record(null::api_tokens, $1)`,
    [JSON.stringify({ ...rows[0], token_hash: `\\x${rows[0]?.['token_hash'].toString('hex')}` })],
  );
  assert.equal((await demo.refusal(listProfiles, {}, bearer(text))).code, 'demo_locked');
  const asked = await demo.request('POST', '/api/mcp', { ...bearer(text), body: '{}' });
  assert.equal(problemOf(asked).code, 'demo_locked');
  const bad = bearer(`tw_${'b'.repeat(49)}`);
  assert.equal((await demo.refusal(listProfiles, {}, bad)).code, 'bad_token');
  assert.equal((await demo.refusal(listTokens, {})).code, 'demo_locked');
});
