import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { OPERATIONS } from '#api/contract/contract.ts';
import { changeSettings, signIn, signUp } from '#api/contract/session.ts';
import { EMAIL, openTestApi, PASSWORD, problemOf, type TestApi } from '#test/api/test-api.ts';
import { createAccount } from '#storage/operator/accounts.ts';
import { openTestDatabase } from '#test/harness/test-database.ts';
import { createOperator } from '#storage/operator/users.ts';
import { importsOf, ROOT, readSourceFiles } from '#test/harness/source-files.ts';

let api: TestApi;
before(async () => {
  api = await openTestApi();
  await api.signUp();
});
after(() => api[Symbol.asyncDispose]());

test('there is no way in but e-mail and password: no second factor, no mail', async () => {
  const ways = OPERATIONS.filter(({ path, method }) => path.startsWith('/auth/') && method === 'POST').map(
    ({ path }) => path,
  );
  assert.deepEqual(ways.toSorted(), [
    '/auth/change-password',
    '/auth/sessions/revoke-others',
    '/auth/sign-in',
    '/auth/sign-out',
    '/auth/sign-up',
  ]);
  const body = { email: EMAIL, password: PASSWORD };
  for (const operation of [signIn, signUp]) {
    const missing = await api.request('POST', `/api${operation.path}`, {
      headers: { 'content-type': 'application/json', 'x-real-ip': '198.51.100.1' },
      body: '{}',
    });
    assert.deepEqual(
      problemOf(missing).errors?.map(({ path }) => path),
      ['email', 'password'],
    );
  }
  const reply = await api.send(signIn, { body }, { headers: { 'x-real-ip': '198.51.100.2' }, cookie: null });
  assert.equal(reply.status, 200, 'nothing else is asked');
  const mail = /mail|smtp|sendgrid|otp|totp|webauthn|authenticator/;
  const elsewhere = readSourceFiles('.ts', '.tsx').filter(
    ({ path }) => /^(api|worker|integrations|storage|core)\//.test(path) && !path.includes('test'),
  );
  const found = elsewhere.flatMap((file) => importsOf(file).filter((name) => mail.test(name)));
  assert.deepEqual(found, []);
});

const attempt = (headers: Record<string, string>, password = 'not this one') =>
  api.send(signIn, { body: { email: EMAIL, password } }, { headers, cookie: null });

test('throttle and audit take the address from the same place', async () => {
  const addresses: readonly (readonly [Record<string, string>, string])[] = [
    [{ 'x-forwarded-for': '1.1.1.1, 203.0.113.60', 'x-real-ip': '1.1.1.2' }, '203.0.113.60'],
    [{ 'x-real-ip': '203.0.113.60' }, '203.0.113.60'],
    [{}, 'unknown'],
  ];
  for (let i = 0; i < 5; i++) assert.equal((await attempt(addresses[0]?.[0] ?? {})).status, 401);
  const statuses = [];
  for (const [headers] of addresses) statuses.push((await attempt(headers)).status);
  assert.deepEqual(statuses, [429, 429, 401], 'both forms name one address, no header another');
  const rows = api.database.kysely.selectFrom('audit_logs').select('ip').where('action', '=', 'settings.change');
  for (const [headers, ip] of addresses) {
    await api.database.kysely.deleteFrom('audit_logs').execute();
    await api.call(changeSettings, { body: { timezone: 'UTC' } }, { headers });
    assert.deepEqual(await rows.execute(), [{ ip }]);
  }
});

interface Ended {
  readonly ready: boolean;
  readonly code: number | null;
  readonly stderr: string;
}

/** The real process; one that becomes ready is stopped. */
async function run(role: 'api' | 'worker', env: Record<string, string>): Promise<Ended> {
  const child = spawn(process.execPath, [join(ROOT, role, 'main.ts')], {
    env: { PORT: '0', LOG_LEVEL: 'silent', ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  let ready = false;
  child.on('message', () => {
    ready = true;
    child.send({ stop: true });
  });
  const [code] = await once(child, 'exit');
  return { ready, code, stderr };
}

test('api and worker refuse to start a live demo over a live account, and start without the flag', async () => {
  await using opened = await openTestDatabase();
  const { kysely } = opened.database;
  const user = await createOperator(kysely, { email: 'a@example.org', passwordHash: 'x', timezone: 'UTC' });
  assert.ok(user !== undefined);
  // Without a key, without a profile: any account counts.
  await createAccount(kysely, { userId: user.id, name: 'Real', exchangeMode: 'live', endpoint: 'exchange' });
  const env = { DATABASE_URL: opened.url, LIVE_REST_URL: 'http://127.0.0.1:9', LIVE_STREAM_URL: 'ws://127.0.0.1:9' };
  for (const role of ['api', 'worker'] as const) {
    const [refused, started] = await Promise.all(['true', 'yes'].map((flag) => run(role, { ...env, LIVE_DEMO: flag })));
    assert.deepEqual([refused?.ready, refused?.code], [false, 78], refused?.stderr);
    assert.match(refused?.stderr ?? '', /^LIVE_DEMO is on, but [^\n]*exchange mode live[^\n]*\n$/);
    assert.deepEqual(started, { ready: true, code: 0, stderr: '' }, role);
  }
});

test('the operator pages say what only the operator can do', () => {
  const page = (path: string): string => readFileSync(join(ROOT, path), 'utf8').replaceAll(/\s+/g, ' ');
  const deploy = page('docs/operator/deploy.md');
  assert.match(deploy, /stored as they are/);
  assert.match(deploy, /keys without permission to withdraw, tied to the server's address/);
  assert.match(deploy, /exactly one\*\* reverse proxy/);
  assert.match(page('README.md'), /only the permissions for reading and spot trading, and restrict it to your address/);
  const demo = page('docs/operator/live-demo.md');
  assert.match(demo, /Filling the demo, cleaning it up and limiting requests from outside are yours/);
  const proxy = page('deploy/auth-proxy/README.md');
  for (const words of ['regular web application', '/oauth2/callback', 'allowed logout url'])
    assert.ok(proxy.toLowerCase().includes(words), words);
});
