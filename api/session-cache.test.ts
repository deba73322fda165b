import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { currentSession, signIn, signOut } from '#api/contract/session.ts';
import { SessionCache } from '#api/frame/session-cache.ts';
import { tokenHash } from '#api/guard/session.ts';
import { cookieOf, EMAIL, openTestApi, PASSWORD, type TestApi } from '#test/api/test-api.ts';
import { until } from '#test/harness/test-outage.ts';
import { serveApi } from './serve.ts';

let api: TestApi;
before(async () => {
  api = await openTestApi();
  await api.signUp();
});
after(() => api[Symbol.asyncDispose]());

let addresses = 0;
async function signedIn(): Promise<string> {
  const headers = { 'x-forwarded-for': `10.2.0.${++addresses}` };
  return (
    cookieOf(await api.send(signIn, { body: { email: EMAIL, password: PASSWORD } }, { headers, cookie: null })) ?? ''
  );
}
const hashIn = (cookie: string): Buffer => tokenHash(cookie.slice(cookie.indexOf('=') + 1).split(';', 1)[0] ?? '');
const deleteRow = (cookie: string) =>
  api.database.kysely.deleteFrom('sessions').where('token_hash', '=', hashIn(cookie)).execute();

test('a session is read once for the requests of a second, and again after a change', async () => {
  const { kysely } = api.database;
  const [sessions, cookie] = [new SessionCache(), await signedIn()];
  const read = () => sessions.read(kysely, hashIn(cookie), api.now());
  const first = await read();
  assert.ok(first !== undefined);
  await deleteRow(cookie);
  assert.equal(await read(), first);
  sessions.clear();
  assert.equal(await read(), undefined);
});

test('a session that expires within the second is not valid any more', async () => {
  const [sessions, cookie] = [new SessionCache(), await signedIn()];
  const readAt = (at: Date) => sessions.read(api.database.kysely, hashIn(cookie), at);
  const session = await readAt(api.now());
  assert.ok(session !== undefined);
  assert.equal(await readAt(session.expiresAt), undefined);
});

test('a token without a session is looked up each time', async () => {
  const [sessions, unknown] = [new SessionCache(), tokenHash('no such token')];
  assert.equal(await sessions.read(api.database.kysely, unknown, api.now()), undefined);
  const cookie = await signedIn();
  await api.database.kysely
    .updateTable('sessions')
    .set({ token_hash: unknown })
    .where('token_hash', '=', hashIn(cookie))
    .execute();
  assert.ok((await sessions.read(api.database.kysely, unknown, api.now())) !== undefined);
});

test('a session that ends in one api ends in every other', async () => {
  await using other = await serveApi(api.context, { host: '127.0.0.1', port: 0 });
  const cookie = await signedIn();
  const statusThere = async (): Promise<number> =>
    (await fetch(`http://127.0.0.1:${other.port}/api${currentSession.path}`, { headers: { cookie } })).status;
  assert.equal(await statusThere(), 200);
  assert.equal((await api.send(currentSession, {}, { cookie })).status, 200);
  await api.send(signOut, {}, { cookie });
  assert.equal((await api.send(currentSession, {}, { cookie })).status, 401, 'at once where it ended');
  await until('the other api refuses it', async () => (await statusThere()) === 401);
});
