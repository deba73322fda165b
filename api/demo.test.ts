import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import { readWallet } from '#api/contract/accounts.ts';
import { readAdvisor, readAdvisorPrompt } from '#api/contract/advisor.ts';
import { DEMO_LOCKS } from '#api/contract/demo-locks.ts';
import { setKillSwitch } from '#api/contract/halts.ts';
import { createProfile, listProfiles } from '#api/contract/profiles.ts';
import { changeSettings, currentSession, onboarding, readSettings, signIn, signUp } from '#api/contract/session.ts';
import { createAccount, saveApiKey } from '#storage/operator/accounts.ts';
import { createRun } from '#storage/research/research.ts';
import { createOperator } from '#storage/operator/users.ts';
import type { AccountId } from '#core/ids.ts';
import { hashPassword } from '#api/guard/password.ts';
import { cookieOf, EMAIL, openTestApi, ORIGIN, PASSWORD, problemOf, type TestApi } from '#test/api/test-api.ts';

let api: TestApi;
let accountId: AccountId;
before(async () => {
  api = await openTestApi({
    liveDemo: true,
    async before({ kysely }) {
      const user = await createOperator(kysely, {
        email: EMAIL,
        passwordHash: await hashPassword(PASSWORD),
        timezone: 'UTC',
      });
      assert.ok(user !== undefined);
      const id = await createAccount(kysely, {
        userId: user.id,
        name: 'Paper',
        exchangeMode: 'testnet',
        endpoint: 'paper',
      });
      assert.ok(id !== undefined);
      accountId = id;
      await saveApiKey(kysely, {
        accountId,
        label: '',
        apiKey: 'canary-key',
        secret: 'canary-secret',
        status: null,
        checkedAt: null,
      });
    },
  });
});
after(() => api[Symbol.asyncDispose]());

const some = '01890000-0000-7000-8000-000000000000';
const keyOf = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`;

test('every lock answers 403, without a session and with a real one', async () => {
  const reply = await api.send(signIn, { body: { email: EMAIL, password: PASSWORD } });
  for (const cookie of [null, cookieOf(reply)]) {
    for (const lock of DEMO_LOCKS) {
      const path = lock.path.replaceAll(/:\w+/g, some);
      assert.equal(
        problemOf(await api.request(lock.method, `/api${path}`, { cookie })).code,
        'demo_locked',
        keyOf(lock),
      );
    }
  }
});

test('without a session the operator acts, whose address stays private', async () => {
  assert.deepEqual(await api.call(onboarding, {}), { needsOnboarding: false, demoMode: true });
  assert.deepEqual((await api.call(listProfiles, {})).profiles, []);
  const anonymous = await api.call(currentSession, {});
  assert.equal(anonymous.user.email, 'demo');
  await api.call(createProfile, { body: { accountId, name: 'Demo', strategyName: 'hold' } });
  await api.call(setKillSwitch, { body: { engaged: true } });
  await api.call(changeSettings, { body: { timezone: 'Europe/Berlin' } });
  assert.equal((await api.call(readSettings, {})).timezone, 'Europe/Berlin');
  assert.equal((await api.call(currentSession, {})).user.timezone, 'Europe/Berlin');
  assert.equal(await api.call(readWallet, { params: { id: accountId } }), null);
  const [profile] = (await api.call(listProfiles, {})).profiles;
  assert.ok(profile !== undefined);
  const run = { profileId: profile.id, strategyName: 'hold', config: {}, request: {}, warnings: [], fingerprints: {} };
  const params = { id: profile.id, runId: await createRun(api.database.kysely, run) };
  await api.database.kysely.updateTable('research').set({ state: 'done' }).execute();
  assert.deepEqual(await api.call(readAdvisor, { params }), { slots: [] });
  assert.match((await api.call(readAdvisorPrompt, { params })).prompt, /^You review a backtest/);
});

test('a real session wins over the injected operator', async () => {
  const headers = { 'x-forwarded-for': '10.9.9.9' };
  const cookie = cookieOf(await api.send(signIn, { body: { email: EMAIL, password: PASSWORD } }, { headers }));
  const real = await api.call(currentSession, {}, { cookie });
  assert.equal(real.user.email, EMAIL);
});

test('without a user no operator is injected, and onboarding works', async () => {
  await using fresh = await openTestApi({ liveDemo: true });
  assert.equal((await fresh.refusal(listProfiles, {})).code, 'not_signed_in');
  const reply = await fresh.send(signUp, { body: { email: EMAIL, password: PASSWORD } });
  assert.equal(reply.status, 201);
  assert.equal((await fresh.refusal(listProfiles, {})).code, 'not_signed_in');
  assert.equal((await fresh.send(listProfiles, {}, { cookie: cookieOf(reply) })).status, 200);
});

/** Opens a socket as a visitor; the status of a refusal, or 101. */
async function socketOf(ip: string, opened: WebSocket[]): Promise<number> {
  const socket = new WebSocket(`${api.url.replace('http', 'ws')}/api/ws`, {
    origin: ORIGIN,
    headers: { 'x-forwarded-for': ip },
  });
  opened.push(socket);
  socket.on('error', () => {});
  return new Promise((resolve) => {
    socket.once('open', () => resolve(101));
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
  });
}

test('one visitor takes neither the sockets nor the candle columns of the others', async () => {
  const opened: WebSocket[] = [];
  const statuses: number[] = [];
  for (let i = 0; i < 12; i++) statuses.push(await socketOf(`2001:db8:5:5::${i}`, opened));
  assert.deepEqual(statuses, [...Array(10).fill(101), 503, 503]);
  assert.equal(await socketOf('203.0.113.50', opened), 101);
  for (const socket of opened) socket.terminate();
  const [profile] = (await api.call(listProfiles, {})).profiles;
  const columns = (ip: string) => {
    const path = `/api/candles/columns?profileId=${profile?.id}&symbol=BTCUSDT&interval=1h&from=2026-01-01T00:00:00Z`;
    return api.request('GET', path, { headers: { 'x-forwarded-for': ip } });
  };
  const first = await Promise.all(Array.from({ length: 31 }, () => columns('203.0.113.51')));
  assert.equal(first.filter(({ status }) => status === 429).length, 1);
  assert.equal((await columns('203.0.113.52')).status, 200);
});
