import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { listAccounts } from '#api/contract/accounts.ts';
import {
  changeSettings,
  currentSession,
  onboarding,
  readSettings,
  signIn,
  signOut,
  signUp,
} from '#api/contract/session.ts';
import {
  cookieOf,
  EMAIL,
  openTestApi,
  ORIGIN,
  PASSWORD,
  problemOf,
  SECURE_ORIGIN,
  type TestApi,
} from '#test/api/test-api.ts';

const HOUR = 3_600_000;
const credentials = { email: EMAIL, password: PASSWORD };
let api: TestApi;
before(async () => {
  api = await openTestApi({ paperKey: { apiKey: 'paper-key-0001', secret: 'canary-paper-secret' } });
});
after(() => api[Symbol.asyncDispose]());

/** A session of its own, so that tests do not share one; each from an address of its own, so that none is throttled. */
let addresses = 0;
async function signedIn(): Promise<string> {
  const headers = { 'x-forwarded-for': `10.0.0.${++addresses}` };
  const reply = await api.send(signIn, { body: credentials }, { headers, cookie: null });
  assert.equal(reply.status, 200, reply.text);
  return cookieOf(reply) ?? '';
}

test('of 50 sign-ups at once exactly one makes the operator', async () => {
  assert.equal((await api.call(onboarding, {})).needsOnboarding, true);
  const bodies = Array.from({ length: 50 }, (_, i) => ({ email: `user${i}@example.org`, password: PASSWORD }));
  const replies = await Promise.all(bodies.map((body) => api.send(signUp, { body })));
  const codes = replies.map((reply) => (reply.status === 201 ? 'created' : problemOf(reply).code));
  assert.equal(codes.filter((code) => code === 'created').length, 1);
  assert.equal(codes.filter((code) => code === 'onboarding_closed').length, 49);
  const users = await api.database.kysely.selectFrom('users').selectAll().execute();
  assert.equal(users.length, 1);
  assert.match(users[0]?.password_hash ?? '', /^\$argon2id\$/);
  await api.database.kysely.updateTable('users').set({ email: EMAIL }).execute();
  assert.deepEqual(await api.call(onboarding, {}), { needsOnboarding: false, demoMode: false });
});

test('the first sign-up brings the account "Paper" with its key, ready to trade', async () => {
  const cookie = await signedIn();
  const { accounts } = await api.call(listAccounts, {}, { cookie });
  assert.equal(accounts.length, 1);
  const [paper] = accounts;
  assert.deepEqual(
    [paper?.name, paper?.exchangeMode, paper?.endpoint, paper?.apiKey?.status, paper?.apiKey?.last4],
    ['Paper', 'testnet', 'paper', 'healthy', '0001'],
  );
});

test('the cookie is HttpOnly, strict and, from an https origin, Secure', async () => {
  const from = async (origin: string): Promise<string> => {
    const headers = { origin, 'x-forwarded-for': `10.0.1.${++addresses}` };
    const reply = await api.send(signIn, { body: credentials }, { headers, cookie: null });
    return reply.headers.getSetCookie()[0] ?? '';
  };
  const plain = await from(ORIGIN);
  assert.match(plain, /^tradewind_session_8080=[\w-]{43}; Max-Age=86400; Path=\/; HttpOnly; SameSite=Strict$/);
  assert.match(await from(SECURE_ORIGIN), /^__Host-tradewind_session_443=[\w-]{43}; .*; Secure/);
});

test('two installations on one host keep their sessions apart: the cookie carries the port', async () => {
  const cookie = await signedIn();
  const token = cookie.split('=')[1] ?? '';
  const both = `tradewind_session_8081=${'B'.repeat(43)}; ${cookie}; tradewind_session=${'C'.repeat(43)}`;
  assert.equal((await api.send(currentSession, {}, { cookie: both })).status, 200);
  for (const name of ['tradewind_session_8081', 'tradewind_session'])
    assert.equal((await api.send(currentSession, {}, { cookie: `${name}=${token}` })).status, 401, name);
});

test('the token is stored hashed only', async () => {
  const token = (await signedIn()).split('=')[1] ?? '';
  const rows = await api.database.kysely.selectFrom('sessions').select('token_hash').execute();
  assert.ok(rows.length > 0 && token.length === 43);
  assert.ok(rows.every((row) => !row.token_hash.toString('latin1').includes(token)));
});

test('use within the hour prolongs the session, use after it does not end it', async () => {
  const cookie = await signedIn();
  const use = () => api.send(currentSession, {}, { cookie });
  const expiry = (text: string): number => Date.parse(JSON.parse(text).expiresAt);

  api.advance(HOUR - 1000);
  const prolonged = await use();
  assert.equal(cookieOf(prolonged), cookie);
  assert.equal(expiry(prolonged.text), api.now().getTime() + 24 * HOUR);
  const expiresAt = expiry(prolonged.text);

  api.advance(HOUR);
  const kept = await use();
  assert.equal(kept.status, 200);
  assert.equal(cookieOf(kept), null);
  assert.equal(expiry(kept.text), expiresAt);

  api.advance(60_000);
  const again = await use();
  assert.equal(cookieOf(again), cookie);
  assert.equal(expiry(again.text), api.now().getTime() + 24 * HOUR);

  api.advance(24 * HOUR - 1000);
  assert.equal((await use()).status, 200);
  api.advance(1000);
  assert.equal((await use()).status, 401);
});

test('a session that is not used ends 24 hours after sign-in', async () => {
  const cookie = await signedIn();
  api.advance(24 * HOUR);
  const reply = await api.send(currentSession, {}, { cookie });
  assert.equal(problemOf(reply).code, 'not_signed_in');
});

test('sign-out ends this session only and clears the cookie', async () => {
  const [one, other] = [await signedIn(), await signedIn()];
  const reply = await api.send(signOut, {}, { cookie: one });
  assert.equal(reply.status, 204);
  assert.deepEqual(reply.headers.getSetCookie().length, 1);
  assert.match(reply.headers.getSetCookie()[0] ?? '', /^tradewind_session_8080=; Max-Age=0/);
  assert.equal((await api.send(currentSession, {}, { cookie: one })).status, 401);
  assert.equal((await api.send(currentSession, {}, { cookie: other })).status, 200);
});

test('the sixth attempt of an address within a minute is refused, right password or not', async () => {
  const attempt = (ip: string, password: string) =>
    api.send(
      signIn,
      { body: { email: EMAIL, password } },
      { headers: { 'x-forwarded-for': `1.1.1.1, ${ip}` }, cookie: null },
    );
  const first = await Promise.all(Array.from({ length: 5 }, () => attempt('203.0.113.1', 'wrong password')));
  assert.deepEqual(
    first.map((reply) => problemOf(reply).code),
    Array(5).fill('wrong_credentials'),
  );
  const sixth = await attempt('203.0.113.1', PASSWORD);
  assert.equal(problemOf(sixth).code, 'too_many_attempts');
  const wait = Number(sixth.headers.get('retry-after'));
  assert.ok(wait >= 1 && wait <= 60, `Retry-After ${wait}`);
  assert.equal((await attempt('203.0.113.2', PASSWORD)).status, 200);
});

test('addresses of one network count as one, and all networks together have a ceiling', async () => {
  await using fresh = await openTestApi();
  const attempt = (ip: string) =>
    fresh.send(
      signIn,
      { body: { email: 'stranger@example.org', password: 'wrong password' } },
      { headers: { 'x-forwarded-for': ip }, cookie: null },
    );
  const refused = async (ips: string[]): Promise<number> =>
    (await Promise.all(ips.map(attempt))).filter(({ status }) => status === 429).length;
  assert.equal(await refused(Array.from({ length: 12 }, (_, i) => `2001:db8:1:1::${i}`)), 7);
  assert.equal(await refused(Array.from({ length: 12 }, (_, i) => `203.0.113.1:${50_000 + i}`)), 7);
  assert.equal(await refused(Array.from({ length: 100 }, (_, i) => `10.9.${i}.1`)), 10);
});

test('attempts without forwarded headers share one bucket, and successes count', async () => {
  const statuses: number[] = [];
  for (let i = 0; i < 6; i++) statuses.push((await api.send(signIn, { body: credentials }, { cookie: null })).status);
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429]);
});

test('an unknown address and a wrong password are the same answer', async () => {
  const options = { headers: { 'x-real-ip': '198.51.100.77' }, cookie: null };
  const unknown = await api.refusal(signIn, { body: { email: 'nobody@example.org', password: PASSWORD } }, options);
  const wrong = await api.refusal(signIn, { body: { email: EMAIL, password: 'wrong' } }, options);
  assert.deepEqual(unknown, wrong);
});

test('the timezone is validated, stored as given and audited with the address', async () => {
  const cookie = await signedIn();
  assert.deepEqual(await api.call(readSettings, {}, { cookie }), { timezone: 'UTC' });
  for (const timezone of ['', 'utc', '+01:00', 'Mars/Olympus']) {
    const problem = await api.refusal(changeSettings, { body: { timezone } }, { cookie });
    assert.deepEqual([problem.status, problem.errors?.[0]?.path], [422, 'timezone'], timezone);
  }
  const headers = { 'x-forwarded-for': '192.0.2.44' };
  const timezone = 'Asia/Kolkata';
  assert.deepEqual(await api.call(changeSettings, { body: { timezone } }, { cookie, headers }), { timezone });
  assert.deepEqual(await api.call(readSettings, {}, { cookie: await signedIn() }), { timezone: 'Asia/Kolkata' });
  const audits = await api.database.kysely
    .selectFrom('audit_logs')
    .selectAll()
    .where('action', '=', 'settings.change')
    .execute();
  assert.deepEqual(
    audits.map(({ ip, before, after: later }) => ({ ip, before, after: later })),
    [{ ip: '192.0.2.44', before: { timezone: 'UTC' }, after: { timezone: 'Asia/Kolkata' } }],
  );
});
