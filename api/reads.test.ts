import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isObject } from '#core/merge.ts';
import { READS_LIMITS, readTogether } from '#api/contract/reads.ts';
import { createToken } from '#api/contract/tokens.ts';
import { openTestApi, ORIGIN, problemOf, type TestApi } from '#test/api/test-api.ts';
import { MAX_CONCURRENT } from '#api/guard/visitor-limits.ts';

let api: TestApi;
let profileId: string;
let accountId: string;
before(async () => {
  api = await openTestApi();
  await api.signUp();
  const { account, profile } = await api.addProfile('Main', { symbols: ['BTCUSDT'] });
  [accountId, profileId] = [account.id, profile.id];
});
after(() => api[Symbol.asyncDispose]());

type Options = NonNullable<Parameters<TestApi['call']>[2]>;
async function together(paths: readonly string[], options: Options = {}, of: TestApi = api) {
  return (await of.call(readTogether, { query: { paths: paths.join(',') } }, options)).answers;
}
const codeOf = (body: unknown): unknown => (isObject(body) ? body['code'] : undefined);

test('each answer is the one that a request of its own receives, with its tag', async () => {
  const paths = [
    ...['/dashboard', '/strategies', '/kill-switch', '/status', '/onboarding', '/auth/session'],
    ...[`/profiles/${profileId}`, `/profiles/${profileId}/logs?symbol=BTCUSDT&limit=5`, '/profiles/none'],
  ];
  const answers = await together(paths);
  for (const [i, path] of paths.entries()) {
    const alone = await api.request('GET', `/api${path}`);
    const { status, tag, body } = answers[i] ?? assert.fail(path);
    assert.deepEqual([status, tag], [alone.status, alone.headers.get('etag')], path);
    if (path !== '/dashboard' && path !== '/auth/session') assert.deepEqual(body, JSON.parse(alone.text), path);
  }
  assert.deepEqual(codeOf(answers.at(-1)?.body), 'not_found');
});

test('an answer whose tag is known is empty', async () => {
  const paths = '/kill-switch,/strategies';
  const first = await api.call(readTogether, { query: { paths } });
  const tag = first.answers[1]?.tag ?? assert.fail('no tag');
  const { answers } = await api.call(readTogether, { query: { paths, tags: `,${tag}` } });
  assert.deepEqual(answers[1], { status: 304, tag, body: null });
  assert.equal(answers[0]?.status, 200);
});

test('without a session only public operations answer', async () => {
  const answers = await together(['/dashboard', '/status', `/profiles/${profileId}/logs`], { cookie: null });
  assert.deepEqual(
    answers.map(({ status, body }) => [status, codeOf(body)]),
    [
      [401, 'not_signed_in'],
      [200, undefined],
      [401, 'not_signed_in'],
    ],
  );
});

test('a page of another port reaches nothing that needs a session', async () => {
  const headers = { 'sec-fetch-site': 'same-site', cookie: api.cookie ?? '' };
  const reply = await fetch(`${api.url}/api/reads?paths=/dashboard,/profiles`, { headers });
  const { answers } = readTogether.response.parse(await reply.json());
  assert.deepEqual(
    answers.map(({ body }) => codeOf(body)),
    ['origin_rejected', 'origin_rejected'],
  );
});

test('a token reads what it may and nothing else', async () => {
  const { account } = await api.addProfile('Other');
  const { token } = await api.call(createToken, {
    body: { name: 'A script', scopes: ['read'], accountIds: [account.id] },
  });
  const options = { cookie: null, headers: { authorization: `Bearer ${token}`, origin: ORIGIN } };
  const paths = [`/accounts/${account.id}/orders`, `/accounts/${accountId}/orders`, '/auth/sessions', '/ai-provider'];
  const answers = await together(paths, options);
  for (const [i, path] of paths.entries()) {
    const alone = await api.request('GET', `/api${path}`, options);
    assert.deepEqual([answers[i]?.status, answers[i]?.body], [alone.status, JSON.parse(alone.text)], path);
  }
  assert.deepEqual(
    answers.map(({ status }) => status === 200),
    [true, false, false, false],
  );
});

test('files, pages, itself and addresses outside the contract are not read', async () => {
  const paths = [
    ...['', '/', '/reads?paths=/status', '/backup', '/docs', '/docs.css', `/profiles/${profileId}/logs/export`],
    ...['/../api/status', '/profiles/../../metrics', `/profiles/%2e%2e/backup`, '/mcp', '/auth/sign-out', '//status'],
    `/profiles/${profileId}/lint`,
  ];
  const answers = await together(paths);
  // A path with dots is the one that it leads to, as in an address.
  assert.deepEqual(
    answers.map(({ status }) => status),
    paths.map((path) => (path === '/../api/status' ? 200 : 404)),
  );
});

test('too many paths are refused', async () => {
  const paths = Array.from({ length: READS_LIMITS.paths + 1 }, () => '/status').join(',');
  assert.equal((await api.refusal(readTogether, { query: { paths } })).code, 'validation_failed');
  assert.equal(problemOf(await api.request('GET', '/api/reads')).code, 'validation_failed');
});

test('an address that is valid by the document is never too long for the server', async () => {
  const [paths, tags] = ['"'.repeat(READS_LIMITS.characters), '"'.repeat(1_000)].map(encodeURIComponent);
  assert.equal((await api.request('GET', `/api/reads?paths=${paths}&tags=${tags}`)).status, 200);
  const beyond = encodeURIComponent('\u00cf'.repeat(3));
  assert.equal(problemOf(await api.request('GET', `/api/reads?paths=${beyond}`)).code, 'validation_failed');
});

test('a live demo locks what it locks, and more gathering requests than turns are all answered', async () => {
  await using demo = await openTestApi({ liveDemo: true });
  const answers = await together(['/auth/sessions', '/backup/config', '/status'], { cookie: null }, demo);
  assert.deepEqual(
    answers.map(({ body }) => codeOf(body)),
    ['demo_locked', 'demo_locked', undefined],
  );
  const all = await Promise.all(
    Array.from({ length: MAX_CONCURRENT * 3 }, () => together(['/status', '/onboarding'], { cookie: null }, demo)),
  );
  assert.ok(all.flat().every(({ status }) => status === 200));
});
