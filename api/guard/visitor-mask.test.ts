import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { z } from 'zod';
import { type AccountId, newId, type SessionId } from '#core/ids.ts';
import { createAccount, saveApiKey } from '#storage/operator/accounts.ts';
import { writeAuditLog } from '#storage/operator/audit-logs.ts';
import { startQuestion } from '#storage/research/advisor.ts';
import { createRun } from '#storage/research/research.ts';
import { createOperator, readOperator } from '#storage/operator/users.ts';
import { OPERATIONS } from '#api/contract/contract.ts';
import { DEMO_LOCKS } from '#api/contract/demo-locks.ts';
import { DOOR_LOCKS } from '#api/contract/door-locks.ts';
import { setAccountKillSwitch, setKillSwitch, setProfileKillSwitch } from '#api/contract/halts.ts';
import { createProfile } from '#api/contract/profiles.ts';
import { signIn } from '#api/contract/session.ts';
import { cookieOf, openTestApi, PASSWORD, type TestApi } from '#test/api/test-api.ts';
import { addOrder, BTC, cachePrice, cacheRules } from '#test/api/test-records.ts';
import { hashPassword } from './password.ts';
import { maskFor } from './visitor-mask.ts';

const EMAIL = 'canary+Person@private.example';
const PERSON = { ip: '198.51.100.77', userAgent: 'CanaryBrowser/1.0' };
/** The end of the key is no hexadecimal number: ids are random, and would contain it now and then. */
const CANARIES = /canary|198\.51\.100|XQZW/i;

let api: TestApi;
let accountId: AccountId;
/** Fills the parameters of every path and query. */
const values: Record<string, string> = {
  symbol: 'BTCUSDT',
  interval: '1m',
  hash: 'a'.repeat(64),
  paths: '/dashboard,/audit-logs,/profiles',
  from: new Date(Date.now() - 86_400_000).toISOString(),
};
/** The session of the operator. */
let cookie: string | null = null;

before(async () => {
  api = await openTestApi({
    liveDemo: true,
    async before({ kysely }) {
      const login = { email: EMAIL, passwordHash: await hashPassword(PASSWORD), timezone: 'UTC' };
      const user = await createOperator(kysely, login);
      assert.ok(user !== undefined);
      const paper = { userId: user.id, name: 'Paper', exchangeMode: 'testnet', endpoint: 'exchange' } as const;
      const id = await createAccount(kysely, paper);
      assert.ok(id !== undefined);
      accountId = id;
      const key = { label: 'canary label', apiKey: 'canary-key-XQZW', secret: 'canary-secret' };
      await saveApiKey(kysely, { accountId, ...key, status: null, checkedAt: null });
      const changes = [
        { action: 'api-key.save', before: { label: 'canary label', last4: 'XQZW' } },
        { action: 'backup.restore', after: { by: EMAIL, words: `Restored by ${EMAIL.toUpperCase()}.` } },
        { action: 'session.create', after: { sessions: [PERSON] } },
        { action: 'ai-provider.change', after: { baseUrl: 'http://canary.internal:8000' } },
        { action: 'notifier.save', before: null, after: { settings: { topic: 'canary-topic' } } },
        { action: 'dead-letter.delete', before: { job: 'notify-send', errorMessage: 'canary.internal answered 404' } },
      ];
      for (const change of changes)
        await writeAuditLog(kysely, { userId: user.id, subject: accountId, ...change, ...PERSON });
    },
  });
  await operate();
});
after(() => api[Symbol.asyncDispose]());

/** Actions of the operator with their own session, from their own address. */
async function operate(): Promise<void> {
  const { kysely } = api.database;
  const headers = { 'x-forwarded-for': PERSON.ip, 'user-agent': PERSON.userAgent };
  cookie = cookieOf(await api.send(signIn, { body: { email: EMAIL, password: PASSWORD } }, { headers }));
  await cacheRules(api, [BTC]);
  await cachePrice(api, 'BTCUSDT', '50000');
  const body = { accountId, name: 'Demo', strategyName: 'hold', symbols: ['BTCUSDT'] };
  const { profile } = await api.call(createProfile, { body }, { headers, cookie });
  const coins = [{ symbol: 'BTCUSDT', config: {} }];
  const run = {
    profileId: profile.id,
    strategyName: 'hold',
    config: {},
    request: { coins },
    warnings: [],
    fingerprints: {},
  };
  const runId = await createRun(kysely, run);
  const runs = `${runId},${await createRun(kysely, run)}`;
  await kysely.updateTable('research').set({ state: 'done' }).execute();
  await startQuestion(kysely, runId, 'safe');
  const failed = { state: 'failed', error: 'canary.internal answered 500', finished_at: new Date() } as const;
  await kysely.updateTable('backtest_advisor_slots').set(failed).execute();
  const orderId = await addOrder(api.database, {
    accountId,
    profileId: profile.id,
    symbol: 'BTCUSDT',
    state: 'filled',
  });
  const jobId = await api.context.queue.enqueue('prune', {});
  Object.assign(values, { accountId, profileId: profile.id, runId, runs, orderId, jobId });
  const params = { id: accountId };
  const engaged = { body: { engaged: true } };
  await api.call(setKillSwitch, engaged, { headers, cookie });
  await api.call(setAccountKillSwitch, { params, ...engaged }, { headers, cookie });
  await api.call(setProfileKillSwitch, { params: { id: profile.id }, ...engaged }, { headers, cookie });
}

const IDS: Readonly<Record<string, string>> = { accounts: 'accountId', orders: 'orderId', jobs: 'jobId' };
const idOf = (path: string): string | undefined => values[IDS[path.split('/')[1] ?? ''] ?? 'profileId'];
const READS = OPERATIONS.filter(({ method }) => method === 'GET');
const LOCKED = new Set([...DEMO_LOCKS, ...DOOR_LOCKS].filter(({ method }) => method === 'GET').map(({ path }) => path));
/** Reads of something that is not seeded: a running worker makes it. */
const ABSENT = new Set([
  '/accounts/:id/actions/:actionId',
  '/profiles/:id/diagnosis/runs/:runId',
  '/profiles/:id/dry-runs/:dryRunId',
  '/profiles/:id/sweeps/:sweepId',
  '/strategy-versions/:hash',
]);
const NEEDED = ['accountId', 'profileId', 'symbol', 'interval', 'runs', 'from', 'paths', 'hash'];

/** Visitors of networks of their own: one that reads everything at once is refused. */
const visitorAt = (i: number) => ({ 'user-agent': 'visitor', 'x-forwarded-for': `203.0.113.${i}` });

function addressesOf(read: (typeof READS)[number]): string[] {
  const path = read.path.replaceAll(/:(\w+)/g, (_place, name: string) =>
    name === 'id' ? (idOf(read.path) ?? '') : (values[name] ?? values['runId'] ?? ''),
  );
  const fields = Object(read.query === undefined ? {} : Reflect.get(read.query, 'shape'));
  const names = Object.keys(fields);
  const isNeeded = (name: string): boolean =>
    name === 'profileId' || !z.instanceof(z.ZodType).parse(fields[name]).safeParse(undefined).success;
  const search = NEEDED.filter((name) => names.includes(name) && isNeeded(name)).map(
    (name) => `${name}=${values[name] ?? ''}`,
  );
  const formats = names.includes('format') ? ['format=csv', 'format=ndjson'] : [''];
  return formats.map((format) => `/api${path}?${[...search, format].filter((part) => part !== '').join('&')}`);
}

for (const [i, read] of READS.entries()) {
  test(`a visitor of a live demo reads no person and no key at GET ${read.path}`, async () => {
    for (const address of addressesOf(read)) {
      const reply = await api.request('GET', address, { cookie: null, headers: visitorAt(i) });
      const status = LOCKED.has(read.path) ? [403] : ABSENT.has(read.path) ? [404] : [200, 502];
      assert.ok(status.includes(reply.status), `${address} answered ${reply.status}: ${reply.text.slice(0, 300)}`);
      assert.doesNotMatch(reply.text, CANARIES, address);
    }
  });
}

test('what a visitor changes is answered with the same masks, and a real session sees who it was', async () => {
  const changed = await api.call(setKillSwitch, { body: { engaged: true, reason: 'again' } });
  assert.equal(changed.by, 'demo');
  const seen = await api.request('GET', '/api/audit-logs?limit=1000', { cookie });
  for (const canary of [EMAIL, PERSON.ip, PERSON.userAgent, 'canary label']) assert.ok(seen.text.includes(canary));
});

test('errors of jobs, which name other servers and folders, are masked in lists too', async () => {
  const body = { deadLetters: [{ job: 'notify-send', errorMessage: 'canary.internal', stack: 'canary' }] };
  const user = await readOperator(api.database.kysely);
  assert.ok(user !== undefined);
  assert.doesNotMatch(JSON.stringify(body, maskFor({ user, session: null, token: null })), CANARIES);
  const session = { id: newId<SessionId>(), expiresAt: new Date() };
  assert.match(JSON.stringify(body, maskFor({ user, session, token: null })), CANARIES);
});
