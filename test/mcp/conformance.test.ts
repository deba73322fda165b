import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { z } from 'zod';
import { createToken } from '#api/contract/tokens.ts';
import { openTestApi, type TestApi } from '#test/api/test-api.ts';
import { runProgram, skipReason } from './official-programs.ts';

/** Scenarios that the server passes in each revision of the protocol. */
const PASSED: Readonly<Record<string, readonly string[]>> = {
  '2025-11-25': [
    ...['server-initialize', 'ping', 'tools-list', 'resources-list', 'prompts-list', 'dns-rebinding-protection'],
    ...['server-sse-multiple-streams', 'server-session-lifecycle', 'server-sse-polling'],
  ],
  '2026-07-28': [
    ...['tools-list', 'resources-list', 'prompts-list', 'sep-2164-resource-not-found', 'dns-rebinding-protection'],
    ...['caching', 'http-header-validation', 'server-sse-multiple-streams', 'tasks-status-notifications'],
    ...['missing-input-response', 'unsupported-methods', 'ignore-extra-params', 'validate-input'].map(
      (name) => `input-required-result-${name}`,
    ),
  ],
};

const FIXTURE_TOOLS = 'It calls test tools that only a demonstration server has; the inspector calls the real tools.';
const FIXTURE_READS =
  'It reads a test resource or prompt that only a demonstration server has; the inspector reads the real ones.';
const NO_REQUESTS_BACK = 'The server asks an assistant for nothing: no elicitation, sampling or list of roots.';
const NO_TASKS = 'Tasks are an optional extension; long work is a backtest or a sweep with an id.';

/** Scenarios, or single checks of a scenario, that cannot pass, with the reason. */
const EXCLUDED: Readonly<Record<string, readonly string[]>> = {
  [FIXTURE_TOOLS]: [
    ...['simple-text', 'image', 'audio', 'embedded-resource', 'mixed-content', 'error', 'with-progress'].map(
      (name) => `tools-call-${name}`,
    ),
    ...['json-schema-2020-12', 'http-custom-header-server-validation'],
    'server-stateless: sep-2575-server-rejects-undeclared-capability',
    'server-stateless: sep-2575-missing-capability-http-400',
    'server-stateless: sep-2575-http-server-no-independent-requests-on-stream',
    'server-stateless: sep-2575-server-no-log-without-loglevel',
  ],
  [FIXTURE_READS]: [
    ...['resources-read-text', 'resources-read-binary', 'resources-templates-read'],
    ...['simple', 'with-args', 'embedded-resource', 'with-image'].map((name) => `prompts-get-${name}`),
  ],
  [NO_REQUESTS_BACK]: [
    ...['tools-call-sampling', 'tools-call-elicitation', 'elicitation-sep1034-defaults', 'elicitation-sep1330-enums'],
    ...['basic-elicitation', 'basic-sampling', 'basic-list-roots', 'request-state', 'multiple-input-requests'].map(
      (name) => `input-required-result-${name}`,
    ),
    ...['multi-round', 'non-tool-request', 'result-type', 'tampered-state', 'capability-check'].map(
      (name) => `input-required-result-${name}`,
    ),
  ],
  [NO_TASKS]: [
    ...['lifecycle', 'capability-negotiation', 'wire-fields', 'request-state-removal', 'mrtr-input'],
    ...['request-headers', 'dispatch-and-envelope', 'required-task-error', 'mrtr-composition'],
  ].map((name) => `tasks-${name}`),
  'The server does not offer completion of arguments, which is optional.': ['completion-complete'],
  'The server sends no log messages, which is optional: its log is read with list_decisions.': [
    ...['logging-set-level', 'tools-call-with-logging'],
  ],
  'The server keeps no session, so that nothing can be subscribed to.': [
    ...['resources-subscribe', 'resources-unsubscribe'],
  ],
};
const excluded = Object.values(EXCLUDED).flat();
/** The answers of the server must be well-formed in each scenario. */
const isExcluded = (scenario: string, check: string): boolean =>
  (excluded.includes(scenario) && !check.endsWith(': wire-schema-valid')) || excluded.includes(check);

const TOKENS = 8;

/** Forwards requests to the api with a token, since the suite sends none; the limit of requests is one of each token. */
async function forward(api: TestApi, stack: AsyncDisposableStack): Promise<string> {
  const body = { name: 'Suite', scopes: ['research' as const, 'trade' as const] };
  const tokens: string[] = [];
  for (let i = 0; i < TOKENS; i++) tokens.push((await api.call(createToken, { body })).token);
  let requests = 0;
  const server = createServer((incoming, outgoing) => {
    const authorization = `Bearer ${tokens[requests++ % TOKENS]}`;
    const origin = incoming.headers.origin === ownUrl() ? { origin: api.url } : {};
    const options = { method: incoming.method, headers: { ...incoming.headers, ...origin, authorization } };
    const onward = request(`${api.url}${incoming.url}`, options, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  const ownUrl = (): string => {
    const address = server.address();
    return typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : '';
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stack.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return `${ownUrl()}/api/mcp`;
}

const checks = z.array(z.object({ id: z.string(), status: z.string(), errorMessage: z.string().optional() }));

/** The failed checks of each scenario, from the folders `server-<scenario>-<time>` of the suite. */
async function readResults(folder: string): Promise<ReadonlyMap<string, z.output<typeof checks>>> {
  const results = new Map<string, z.output<typeof checks>>();
  for (const name of await readdir(folder)) {
    const scenario = name.replace(/^server-(.*)-\d{4}-\d\d-\d\dT.*$/, '$1');
    const found = checks.parse(JSON.parse(await readFile(join(folder, name, 'checks.json'), 'utf8')));
    results.set(
      scenario,
      found.filter(({ status }) => status === 'FAILURE'),
    );
  }
  return results;
}

for (const [revision, passed] of Object.entries(PASSED))
  test(`the conformance suite of revision ${revision} passes, apart from the scenarios that are excluded by name`, {
    skip: skipReason,
  }, async (context) => {
    await using stack = new AsyncDisposableStack();
    const api = stack.use(await openTestApi({ ownOrigin: true }));
    await api.signUp();
    const folder = await mkdtemp(join(tmpdir(), 'mcp-conformance-'));
    stack.defer(() => rm(folder, { recursive: true }));
    const results = join(folder, 'results');
    const url = await forward(api, stack);
    const args = ['server', '--url', url, '--requirements', revision, '--timeout', '120000', '-o', results];
    const { out, err } = await runProgram('conformance', args, { folder });
    const found = await readResults(results);
    const failures = [...found].flatMap(([scenario, failed]) =>
      failed.map(({ id, errorMessage }) => ({ scenario, check: `${scenario}: ${id}`, errorMessage })),
    );
    const unexpected = failures.filter(({ scenario, check }) => !isExcluded(scenario, check));
    assert.deepEqual(unexpected, [], `${out}\n${err}`);
    const whole = [...found].filter(([, failed]) => failed.length === 0).map(([scenario]) => scenario);
    context.diagnostic(`${whole.length} of ${found.size} scenarios pass, ${failures.length} checks are excluded`);
    assert.deepEqual(whole.toSorted(), [...passed].toSorted(), 'the scenarios that pass are the ones of the table');
  });
