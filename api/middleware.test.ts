import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { OPERATIONS } from '#api/contract/contract.ts';
import { createProfile } from '#api/contract/profiles.ts';
import { currentSession, status } from '#api/contract/session.ts';
import { cacheKeys } from '#core/installation/cache-keys.ts';
import { openTestApi, ORIGIN, problemOf, SECURE_ORIGIN, type TestApi } from '#test/api/test-api.ts';

let api: TestApi;
let webDir: string;
before(async () => {
  webDir = await mkdtemp(join(tmpdir(), 'tradewind-web-'));
  await mkdir(join(webDir, 'assets'));
  await writeFile(join(webDir, 'index.html'), '<html></html>');
  await writeFile(join(webDir, 'assets', 'app-1a2b3c.js'), 'export {};');
  await writeFile(join(webDir, 'icon.svg'), '<svg/>');
  api = await openTestApi({ webDir });
  await api.signUp();
});
after(async () => {
  await api[Symbol.asyncDispose]();
  await rm(webDir, { recursive: true });
});

const foreign = [
  'http://app.test',
  'https://app.test:8080',
  'http://app.test:8081',
  'http://sub.app.test:8080',
  'http://app.test:8080.evil.example',
  'http://evil.example',
  'http://app.test:8080/',
  'HTTP://APP.TEST:8080',
  'null',
];
for (const origin of foreign) {
  test(`the origin ${origin} is refused, reads, pages and preflights too`, async () => {
    const headers = { origin };
    for (const [method, path] of [
      ['GET', '/api/status'],
      ['GET', '/'],
      ['POST', '/api/auth/sign-in'],
      ['OPTIONS', '/api/profiles'],
    ] as const) {
      const reply = await api.request(method, path, { headers });
      assert.equal(problemOf(reply).code, 'origin_rejected', `${method} ${path}`);
      assert.equal(reply.headers.get('access-control-allow-origin'), null);
    }
  });
}

/** A request as a program sends it: without an Origin header. */
const rawRequest = async (method: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${api.url}/api/auth/sign-out`, {
    method,
    headers: { cookie: api.cookie ?? '', ...headers },
  });
  return { status: response.status, body: await response.text() };
};

test('a change without Origin needs the client header, a read does not', async () => {
  const refused = await rawRequest('POST');
  assert.equal(refused.status, 403);
  assert.equal(JSON.parse(refused.body).code, 'origin_rejected');
  assert.equal((await fetch(`${api.url}/api/status`)).status, 200);
  const passed = await fetch(`${api.url}/api/profiles/none/enable`, {
    method: 'POST',
    headers: { cookie: api.cookie ?? '', 'x-tradewind-client': '1' },
  });
  assert.equal(passed.status, 404);
});

test('listed origins get CORS headers with credentials, on refusals too', async () => {
  for (const origin of [ORIGIN, SECURE_ORIGIN]) {
    const reply = await api.send(currentSession, {}, { headers: { origin }, cookie: null });
    assert.equal(reply.status, 401);
    assert.equal(reply.headers.get('access-control-allow-origin'), origin);
    assert.equal(reply.headers.get('access-control-allow-credentials'), 'true');
    assert.equal(reply.headers.get('vary'), 'Origin');
  }
  const preflight = await api.request('OPTIONS', '/api/profiles');
  assert.equal(preflight.status, 204);
  assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /PATCH/);
  assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /content-type/);
});

test('every response carries the security headers and a request id', async () => {
  for (const path of ['/api/status', '/api/nothing', '/', '/icon.svg']) {
    const { headers } = await api.request('GET', path);
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(policy, /script-src 'self';/);
    assert.doesNotMatch(policy, /unsafe/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.match(policy, /connect-src 'self' ws:\/\/app\.test:8080 wss:\/\/trade\.example\.org/);
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
    assert.match(headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
  }
});

const post = (body: BodyInit, type = 'application/json') =>
  api.request('POST', '/api/profiles', { headers: { 'content-type': type }, body });

test('malformed, mistyped, oversized and misfielded bodies have distinct answers', async () => {
  assert.equal(problemOf(await post('{"name":')).code, 'malformed_json');
  assert.equal(problemOf(await post('')).code, 'malformed_json');
  assert.equal(problemOf(await post(new Uint8Array([0x22, 0xff, 0x22]))).code, 'malformed_json');
  assert.equal(problemOf(await post('{}', 'text/plain')).code, 'wrong_media_type');
  assert.equal(problemOf(await post(`"${'x'.repeat(1024 * 1024)}"`)).code, 'body_too_large');
  let sent = 0;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      if (sent++ < 20) controller.enqueue(new Uint8Array(100_000).fill(0x20));
      else controller.close();
    },
  });
  const streamed = await api.request('POST', '/api/profiles', {
    headers: { 'content-type': 'application/json' },
    body,
  });
  assert.equal(problemOf(streamed).code, 'body_too_large');
});

test('every bad field is named with its path, unknown ones too', async () => {
  const problem = problemOf(await post('{"accountId":"x","name":"","strategyName":7,"extra":1,"symbols":["btc"]}'));
  assert.equal(problem.status, 422);
  assert.deepEqual(problem.errors?.map(({ path }) => path).toSorted(), [
    'accountId',
    'extra',
    'name',
    'strategyName',
    'symbols.0',
  ]);
  const missing = problemOf(await post('{}'));
  assert.deepEqual(
    missing.errors?.map(({ path, message }) => `${path} ${message}`),
    ['accountId is missing', 'name is missing', 'strategyName is missing'],
  );
});

test('values that no database takes are refused, not stumbled over', async () => {
  const accountId = '01890000-0000-7000-8000-000000000000';
  const withConfig = (config: string) =>
    post(`{"accountId":"${accountId}","name":"n","strategyName":"hold","config":${config}}`);
  for (const config of [
    '{"a":"\\u0000"}',
    '{"a":"\\ud800"}',
    '{"a\\u0000":1}',
    '{"a":1e999}',
    `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`,
  ]) {
    const problem = problemOf(await withConfig(config));
    assert.equal(problem.status, 422, config);
    assert.match(problem.errors?.[0]?.path ?? '', /^config/);
  }
  assert.equal(problemOf(await api.request('GET', '/api/candles?symbol=%00')).status, 422);
});

test('ids that no record can have are 404, repeated and unknown query fields 422', async () => {
  assert.equal(problemOf(await api.request('GET', '/api/profiles/1')).code, 'not_found');
  assert.equal(problemOf(await api.request('GET', '/api/symbols?accountId=1')).code, 'not_found');
  assert.equal(problemOf(await api.request('GET', '/api/symbols?accountId=1&accountId=2')).code, 'validation_failed');
  assert.deepEqual(problemOf(await api.request('GET', '/api/symbols?accountId=1&x=2')).errors?.[0]?.path, 'x');
  assert.equal(problemOf(await api.request('PATCH', '/api/status')).code, 'not_found');
  const unknown = { accountId: '01890000-0000-7000-8000-000000000000', name: 'n', strategyName: 'hold' } as const;
  const problem = await api.refusal(createProfile, { body: { ...unknown, accountId: unknown.accountId as never } });
  assert.equal(problem.code, 'not_found');
});

test('pages: routes of the app get index.html, assets are cached permanently, other paths are 404', async () => {
  for (const path of ['/', '/index.html', '/profiles/1/coins/BTCUSDT']) {
    const reply = await api.request('GET', path);
    assert.equal(reply.status, 200, path);
    assert.equal(reply.headers.get('cache-control'), 'no-store');
    assert.equal(reply.text, '<html></html>');
  }
  const asset = await api.request('GET', '/assets/app-1a2b3c.js');
  assert.equal(asset.text, 'export {};');
  assert.equal(asset.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  assert.match(asset.headers.get('content-type') ?? '', /javascript/);
  const etag = asset.headers.get('etag') ?? '';
  assert.equal((await api.request('GET', '/assets/app-1a2b3c.js', { headers: { 'if-none-match': etag } })).status, 304);
  for (const path of ['/assets/none.js', '/..%2f..%2fetc%2fpasswd.txt', '/api', '/api/none', '/api/../index.htm']) {
    assert.equal((await api.request('GET', path)).status, 404, path);
  }
});

test('a connection is kept for longer than proxies keep theirs, which is a minute', async () => {
  const { headers } = await fetch(`${api.url}/api/status`);
  const seconds = Number(/^timeout=(\d+)$/.exec(headers.get('keep-alive') ?? '')?.[1]);
  assert.ok(seconds > 60, `it says ${headers.get('keep-alive')}`);
});

test('status has the closed shape of the specification; of several workers the one to restart first shows', async () => {
  const beat = (sha: string, bootedAt: string) => JSON.stringify({ sha, bootedAt, schema: 1 });
  const { rows } = await api.database.pool.query('select max(applied_at) as at from schema_migrations');
  assert.deepEqual(JSON.parse((await api.send(status, {}, { cookie: null })).text), {
    api: { sha: 'test-sha', bootedAt: api.context.settings.bootedAt.toISOString() },
    worker: null,
    db: { latestMigrationAppliedAt: rows[0]?.at.toISOString() },
  });
  await api.cache.set(cacheKeys.heartbeat('a'), beat('test-sha', '2026-01-02T00:00:00.000Z'));
  await api.cache.set(cacheKeys.heartbeat('b'), beat('test-sha', '2026-01-01T00:00:00.000Z'));
  assert.equal((await api.call(status, {})).worker, null, 'an answer counts for a second');
  api.advance(1_000);
  assert.deepEqual((await api.call(status, {})).worker, { sha: 'test-sha', bootedAt: '2026-01-01T00:00:00.000Z' });
  await api.cache.set(cacheKeys.heartbeat('c'), beat('other-sha', '2026-01-03T00:00:00.000Z'));
  api.advance(1_000);
  assert.deepEqual((await api.call(status, {})).worker, { sha: 'other-sha', bootedAt: '2026-01-03T00:00:00.000Z' });
  await api.cache.set(cacheKeys.heartbeat('d'), 'no heartbeat');
  api.advance(1_000);
  assert.equal((await api.call(status, {})).worker?.sha, 'other-sha');
});

test('a page of another port or site reaches nothing that needs a session without its Origin', async () => {
  const ask = (path: string, headers: Record<string, string>) =>
    fetch(`${api.url}${path}`, { headers: { cookie: api.cookie ?? '', ...headers } });
  for (const { method, path, auth } of OPERATIONS) {
    if (method !== 'GET' || auth !== 'session') continue;
    const address = `/api${path.replaceAll(/:\w+/g, '01890000-0000-7000-8000-000000000000')}`;
    for (const site of ['cross-site', 'same-site'])
      assert.equal((await ask(address, { 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors' })).status, 403, path);
  }
  for (const site of ['same-origin', 'none'])
    assert.equal((await ask('/api/profiles', { 'sec-fetch-site': site })).status, 200, site);
  const listed = { 'sec-fetch-site': 'same-site', origin: ORIGIN };
  assert.equal((await ask('/api/profiles', listed)).status, 200, 'a listed origin says who it is');
  assert.equal((await ask('/', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })).status, 200);
});

test('answers to an https origin keep the browser on https, others do not', async () => {
  const headersFor = async (origin: string) =>
    (await api.request('GET', '/api/status', { headers: { origin } })).headers;
  assert.equal((await headersFor(SECURE_ORIGIN)).get('strict-transport-security'), 'max-age=31536000');
  assert.equal((await headersFor(ORIGIN)).get('strict-transport-security'), null);
});
