import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isObject } from '#core/merge.ts';
import { createApp } from './app.ts';
import { OPERATIONS } from '#api/contract/contract.ts';
import { CAPTURE, DEMO_LOCKS, DRY_RUNS, PAPER_MARKET, RETRY, STRATEGY_FILES } from '#api/contract/demo-locks.ts';
import { DOOR_LOCKS } from '#api/contract/door-locks.ts';
import type { Operation } from '#api/contract/operation.ts';
import { readOpenApi, readReference, readReferenceStyle } from '#api/contract/reference.ts';
import { templateOf } from '#api/frame/openapi.ts';
import { openTestApi, problemOf, type TestApi } from '#test/api/test-api.ts';

let api: TestApi;
before(async () => {
  api = await openTestApi();
  await api.signUp();
});
after(() => api[Symbol.asyncDispose]());

const keyOf = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`;
const writes = ({ method }: Operation): boolean => method !== 'GET';

/** Operations without a session; everything else answers 401. */
const PUBLIC = [
  'GET /openapi.json',
  'GET /docs',
  'GET /docs.css',
  'GET /health/live',
  'GET /health/ready',
  'GET /status',
  'GET /onboarding',
  'GET /reads',
  'POST /auth/sign-up',
  'POST /auth/sign-in',
  'POST /signals/:inlet',
];

/** The sentence of the specification that lists the locked routes. */
const LOCKED_BY_SPECIFICATION =
  'API-key management; backup, backup-config and restore; AI-provider management and testing; notifier configuration and testing; ops-notify; account creation, rename and delete; password and session changes; retention changes; starting a diagnosis run; fee reconciliation; trade-archive backfill; both backtest-advisor writes';

/** Changes that a live demo allows: daily actions on the test network that cost nothing and reveal nothing. */
const OPEN_IN_DEMO = [
  /^\/auth\/sign-(up|in|out)$/,
  /^\/account\/settings$/,
  /(^|\/)kill-switch$/,
  /^\/(accounts|profiles)\/:id\/risk$/,
  /^\/accounts\/:id\/orphan-orders\//,
  /^\/accounts\/:id\/confirm-reset$/,
  /^\/profiles(\/:id)?(\/(enable|disable|clone|import|switch-strategy|lint|discovery))?$/,
  /^\/profiles\/import$/,
  /^\/profiles\/:id\/config-history\/:version\/restore$/,
  /^\/profiles\/:id\/symbols(?!.*\/proposals$)(\/|$)/,
  /^\/profiles\/:id\/(backtests|sweeps)(\/:\w+)?(\/(abort|pin|robustness|repeat))?$/,
  /^\/profiles\/:id\/dry-runs\/:dryRunId\/(promote|drop)$/,
  /^\/profiles\/:id\/(gate|live-comparison)$/,
  /^\/dead-letters\/:id$/,
];

/** Changes that leave no audit row, and why. */
const UNAUDITED: Readonly<Record<string, string>> = {
  'POST /accounts/:id/api-key/verify': 'the worker only tries the key',
  'POST /profiles/:id/lint': 'it changes nothing',
  'POST /signals/:inlet': 'the signals are their own record',
};

test('every mounted route is in the contract, and every operation of the contract is mounted once', async () => {
  const app = await createApp(api.context);
  const mounted = app.routes
    .filter(({ method, path }) => method !== 'ALL' && path.startsWith('/api/'))
    .map(({ method, path }) => `${method} ${path.slice('/api'.length)}`);
  assert.deepEqual(mounted.toSorted(), OPERATIONS.map(keyOf).toSorted());
  assert.equal(new Set(mounted).size, mounted.length);
});

test('every operation is in the OpenAPI document with its parameters, body and answer', async () => {
  const { paths, components } = await api.call(readOpenApi, {}, { cookie: null });
  assert.ok(isObject(paths) && isObject(components));
  const ids: unknown[] = [];
  for (const operation of OPERATIONS) {
    const where = keyOf(operation);
    const path: unknown = paths[templateOf(operation.path)];
    const entry: unknown = isObject(path) ? path[operation.method.toLowerCase()] : undefined;
    assert.ok(isObject(entry) && Array.isArray(entry['parameters']) && isObject(entry['responses']), where);
    ids.push(entry['operationId']);
    assert.ok(operation.summary.length > 10, `${where} says what it does`);
    const parameters: unknown[] = entry['parameters'];
    const named = parameters.filter((parameter) => isObject(parameter) && parameter['in'] === 'path');
    assert.equal(named.length, operation.path.match(/:\w+/g)?.length ?? 0, `${where} describes its path`);
    const takesBody = operation.body !== undefined || operation.upload !== undefined;
    assert.equal('requestBody' in entry, takesBody, where);
    const answer: unknown = entry['responses'][String(operation.status)];
    const answers = operation.response !== undefined || operation.media !== undefined;
    assert.equal(answers, operation.status !== 204, `${where} describes its answer`);
    assert.ok(isObject(answer) && 'content' in answer === answers, where);
  }
  assert.equal(new Set(ids).size, ids.length, 'operation ids are unique');
});

test('the reference page works without any script and links what it needs', async () => {
  const page = await api.send(readReference, {}, { cookie: null });
  assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
  assert.doesNotMatch(page.text, /<script|<style|\son\w+=|style="/);
  for (const { path } of OPERATIONS) assert.ok(page.text.includes(`<code>${path}</code>`), path);
  const style = await api.send(readReferenceStyle, {}, { cookie: null });
  assert.match(style.headers.get('content-type') ?? '', /^text\/css/);
  assert.match(page.headers.get('content-security-policy') ?? '', /style-src 'self'/);
});

test('every operation that is not public answers 401 without a session', async () => {
  assert.deepEqual(
    OPERATIONS.filter(({ auth }) => auth === 'public')
      .map(keyOf)
      .toSorted(),
    PUBLIC.toSorted(),
  );
  const guarded = OPERATIONS.filter(({ auth }) => auth === 'session');
  for (const operation of guarded) {
    const path = operation.path.replaceAll(/:\w+/g, '01890000-0000-7000-8000-000000000000');
    const reply = await api.request(operation.method, `/api${path}`, { cookie: null });
    assert.equal(problemOf(reply).code, 'not_signed_in', keyOf(operation));
  }
});

test('every change declares the action of its audit row', () => {
  const unaudited = OPERATIONS.filter(writes).filter(({ audit }) => audit === undefined);
  assert.deepEqual(unaudited.map(keyOf).toSorted(), Object.keys(UNAUDITED).toSorted());
});

test('an operation whose path names an account or a profile is about it', () => {
  const scopeOf = ({ path, scope }: Operation): unknown =>
    /^\/(accounts|profiles)\/:id/.exec(path)?.[1] === 'accounts'
      ? scope === 'account'
      : scope === 'profile' || scope === 'coin';
  const named = OPERATIONS.filter(({ path }) => /^\/(accounts|profiles)\/:id/.test(path));
  assert.deepEqual(named.filter((operation) => !scopeOf(operation)).map(keyOf), []);
});

test('the live demo locks exactly what the specification names; every other change is open on purpose', () => {
  const locks = new Set([...DEMO_LOCKS, ...DOOR_LOCKS].map(keyOf));
  for (const { reason, path } of DEMO_LOCKS)
    assert.ok(
      [RETRY, CAPTURE, PAPER_MARKET, STRATEGY_FILES, DRY_RUNS].includes(reason) ||
        LOCKED_BY_SPECIFICATION.includes(reason),
      `${path}: ${reason}`,
    );
  for (const reason of LOCKED_BY_SPECIFICATION.split('; '))
    assert.ok(
      DEMO_LOCKS.some((lock) => reason.endsWith(lock.reason)),
      `nothing is locked for "${reason}"`,
    );
  const isOpen = ({ path }: Operation): boolean => OPEN_IN_DEMO.some((pattern) => pattern.test(path));
  const undecided = OPERATIONS.filter(writes).filter((operation) => locks.has(keyOf(operation)) === isOpen(operation));
  assert.deepEqual(undecided.map(keyOf), [], 'a change is either locked or listed as open');
});

test('the locks that are not named by the specification are about access for programs only', () => {
  const known = new Set(OPERATIONS.map(keyOf));
  assert.deepEqual(DOOR_LOCKS.filter((lock) => lock.path !== '/mcp' && !known.has(keyOf(lock))).map(keyOf), []);
  assert.deepEqual([...new Set(DOOR_LOCKS.map(({ reason }) => reason))], ['access for programs']);
});

test('reads of credentials, sessions, backups and strategy sources are locked too', () => {
  const locks = new Set(DEMO_LOCKS.map(keyOf));
  const telling = /api-key|\/auth\/sessions|^\/backup|ai-provider|notif|strategy-versions/;
  const open = OPERATIONS.filter(
    ({ method, path }) => method === 'GET' && telling.test(path) && !locks.has(`GET ${path}`),
  );
  assert.deepEqual(open.map(keyOf), []);
});

test('every name and label that a person gives is read with the one schema that refuses control characters', () => {
  const named = OPERATIONS.flatMap((operation) => {
    const shape = Object(Reflect.get(operation.body ?? {}, 'shape'));
    return ['name', 'label'].flatMap((field) => (field in shape ? [{ operation, field, schema: shape[field] }] : []));
  });
  assert.ok(named.length >= 6);
  for (const { operation, field, schema } of named)
    assert.equal(schema.safeParse('x\u001b').success, false, `${keyOf(operation)} ${field}`);
});
