import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { createAccount } from '#storage/operator/accounts.ts';
import { createProfile as insertProfile } from '#storage/operator/profiles.ts';
import { createOperator } from '#storage/operator/users.ts';
import { haltLockText } from '#core/account/halts.ts';
import type { ProfileId } from '#core/ids.ts';
import { setKillSwitch } from '#api/contract/halts.ts';
import { createProfile, lintProfile, readProfile } from '#api/contract/profiles.ts';
import { changeSettings, currentSession, signIn, signOut } from '#api/contract/session.ts';
import { listAuditLogs } from '#api/contract/upkeep.ts';
import { hashPassword } from '#api/guard/password.ts';
import {
  cookieOf,
  EMAIL,
  openTestApi,
  ORIGIN,
  PASSWORD,
  problemOf,
  type Reply,
  type TestApi,
} from '#test/api/test-api.ts';

let api: TestApi;
let cookie = '';
let profileId: ProfileId;
const from = (ip: string) => ({ headers: { 'x-forwarded-for': ip } });

before(async () => {
  api = await openTestApi({
    liveDemo: true,
    async before({ kysely }) {
      const login = { email: EMAIL, passwordHash: await hashPassword(PASSWORD), timezone: 'UTC' };
      const user = await createOperator(kysely, login);
      assert.ok(user !== undefined);
      await createAccount(kysely, { userId: user.id, name: 'Paper', exchangeMode: 'testnet', endpoint: 'paper' });
    },
  });
  const login = { body: { email: EMAIL, password: PASSWORD } };
  cookie = cookieOf(await api.send(signIn, login, from('192.0.2.1'))) ?? '';
  const account = await api.database.kysely.selectFrom('accounts').select('id').executeTakeFirstOrThrow();
  const body = { accountId: account.id, name: 'Demo', strategyName: 'trailing-trade' };
  profileId = (await api.call(createProfile, { body }, { cookie })).profile.id;
});
after(() => api[Symbol.asyncDispose]());

const statusesOf = (replies: readonly Reply[]): Record<number, number> => {
  const counts: Record<number, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};
const flood = (count: number, send: (i: number) => Promise<Reply>): Promise<Reply[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => send(i)));
/** Floods, with fewer at once than may wait, until it is refused: the allowance fills up meanwhile. */
async function refusalOf(send: () => Promise<Reply>): Promise<Reply> {
  for (let round = 0; round < 90; round++) {
    const refused = (await flood(50, send)).find(({ status }) => status === 429);
    if (refused !== undefined) return refused;
  }
  return assert.fail('no flood is refused');
}
const change = (timezone: string, ip: string) => api.send(changeSettings, { body: { timezone } }, from(ip));

test('kill switches of visitors that wait for trading keep the operator from nothing', async () => {
  const client = await api.database.pool.connect();
  const lock = [haltLockText('all', 'all')];
  await client.query('select pg_advisory_lock(hashtextextended($1, 0))', lock);
  const waiting = flood(10, (i) => api.send(setKillSwitch, { body: { engaged: true } }, from(`192.0.2.${100 + i}`)));
  try {
    const waits = `select 1 from pg_locks join pg_database d on d.oid = database
      where datname = current_database() and locktype = 'advisory' and not granted`;
    for (let tries = 0; (await client.query(waits)).rowCount !== 3; tries++) {
      assert.ok(tries < 500, 'three of them wait for the lock');
      await delay(20);
    }
    for (let i = 0; i < 3; i++) assert.equal((await api.call(currentSession, {}, { cookie })).user.email, EMAIL);
  } finally {
    await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', lock);
    client.release();
  }
  assert.deepEqual(statusesOf(await waiting), { 200: 10 });
  await api.call(setKillSwitch, { body: { engaged: false } }, { cookie });
});

test('changes of a network and of all visitors together end sooner; checking a config changes nothing', async () => {
  const zones = ['UTC', 'Europe/Berlin'];
  const replies = await flood(30, (i) => change(zones[i % 2] ?? 'UTC', '203.0.113.2'));
  const refused = replies.filter(({ status }) => status === 429);
  assert.ok(refused.length > 0 && refused.length <= 10, `${refused.length} of 30`);
  assert.match(problemOf(refused[0] ?? assert.fail()).detail, /your network sends too many changes: try again in/);
  const lint = { params: { id: profileId }, body: { config: {} } };
  assert.equal((await api.send(lintProfile, lint, from('203.0.113.2'))).status, 200);
  const others = await flood(100, (i) => change('UTC', `198.51.100.${i}`));
  const detail = problemOf(others.find(({ status }) => status === 429) ?? assert.fail()).detail;
  assert.match(detail, /its visitors together send too many changes/);
  assert.equal(
    (await api.send(changeSettings, { body: { timezone: 'UTC' } }, { cookie, ...from('203.0.113.2') })).status,
    200,
  );
  assert.equal(
    (await api.send(setKillSwitch, { body: { engaged: false } })).status,
    200,
    'what does not come through the proxy, such as the nightly reset, is not part of the flood',
  );
});

test('the record of a long change is short where a visitor made it', async () => {
  const gridLevels = Array.from({ length: 20 }, () => ({
    triggerPercentage: '0.9876543210123456',
    minPurchaseAmount: '11.9876543210123456',
    maxPurchaseAmount: '12.9876543210123456',
  }));
  const before = { buy: { gridLevels } };
  const path = `/api/profiles/${profileId}`;
  const save = (
    config: unknown,
    options: { readonly cookie?: string; readonly headers: Readonly<Record<string, string>> },
  ) =>
    api.request('PATCH', path, {
      ...options,
      headers: { ...options.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ config }),
    });
  assert.equal((await save(before, { cookie, ...from('192.0.2.1') })).status, 200);
  assert.equal((await save({}, { headers: {} })).status, 200);
  const { rows } = await api.call(listAuditLogs, { query: { action: 'profile.change' } }, { cookie });
  const [byVisitor, byOperator] = rows.map((row) => JSON.stringify(row));
  assert.match(byVisitor ?? '', /"before":{"beginning":/);
  assert.ok((byVisitor ?? '').length < 2_000, `${byVisitor?.length} characters`);
  assert.match(byOperator ?? '', /"after":{"name":"Demo","config":/);
});

test('visitors leave an account with fifty profiles at most, the operator with more', async () => {
  const { kysely } = api.database;
  const { accountId } = await api.call(readProfile, { params: { id: profileId } }, { cookie });
  const profile = { accountId, strategyName: 'hold', config: {}, enabled: false };
  for (let i = 1; i < 50; i++) await insertProfile(kysely, { ...profile, name: `No. ${i}` });
  const body = { accountId, name: 'One more', strategyName: 'hold' };
  const refused = problemOf(await api.send(createProfile, { body }));
  assert.match(refused.detail, /^In this live demo an account has at most 50 profiles/);
  await api.call(createProfile, { body }, { cookie });
});

test('a browser that talks too much loses its socket', async () => {
  const options = { origin: ORIGIN, headers: { cookie, ...from('203.0.113.3').headers } };
  for (const say of [(socket: WebSocket) => socket.ping(), (socket: WebSocket) => socket.send('{"subscribe":[]}')]) {
    const socket = new WebSocket(`${api.url.replace('http', 'ws')}/api/ws`, options);
    await once(socket, 'open');
    const closed = once(socket, 'close');
    for (let i = 0; i < 150; i++) say(socket);
    await closed;
  }
});

test('a network of visitors with too many requests gets 429, others and the operator do not', async () => {
  // Without a proxy it is one network too, and does not count towards the total of all visitors.
  const own = { headers: {} };
  for (let page = 0; page < 3; page++)
    assert.deepEqual(statusesOf(await flood(50, () => api.send(currentSession, {}, own))), { 200: 50 });
  const reply = await refusalOf(() => api.send(currentSession, {}, own));
  assert.match(problemOf(reply).detail, /^This is a live demo, and your network sends too many requests: try again in/);
  assert.equal(reply.headers.get('retry-after'), '1');
  const foreign = { headers: { origin: 'http://evil.example' } };
  await refusalOf(() => api.send(currentSession, {}, foreign));
  assert.equal((await api.send(currentSession, {}, from('203.0.113.1'))).status, 200);
  const session = await flood(500, () => api.send(currentSession, {}, { cookie, ...own }));
  assert.deepEqual(statusesOf(session), { 200: 500 });
});

test('a session that has ended is a visitor’s', async () => {
  const login = { body: { email: EMAIL, password: PASSWORD } };
  const ended = cookieOf(await api.send(signIn, login, from('192.0.2.2')));
  assert.equal((await api.call(currentSession, {}, { cookie: ended, ...from('192.0.2.2') })).user.email, EMAIL);
  await api.call(signOut, {}, { cookie: ended, ...from('192.0.2.2') });
  assert.equal((await api.call(currentSession, {}, { cookie: ended, ...from('192.0.2.2') })).user.email, 'demo');
  await refusalOf(() => api.send(currentSession, {}, { cookie: ended }));
});
