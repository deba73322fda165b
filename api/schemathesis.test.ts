import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { notInstalled, pythonProgram } from '#test/clients/python.ts';
import { launchBacktest, launchSweep } from '#api/contract/research.ts';
import { BTC, cachePrice, cacheRules } from '#test/api/test-records.ts';
import { openTestApi, ORIGIN, type TestApi } from '#test/api/test-api.ts';

const EXAMPLES = Number(process.env['SCHEMATHESIS_EXAMPLES'] ?? 10);
const MAX_MINUTES = 8;
/** These end the session, remove what other requests are about, reach other servers, or cost a password hash each. */
const LEFT_OUT = '^/auth/|^/backup$|^/restore$|/test$|^/(accounts|profiles)/{id}$';

/** Ids of real records: an id made from the schema names nothing. */
interface Known {
  readonly account: string;
  readonly profile: string;
  readonly run: string;
  readonly sweep: string;
  readonly session: string;
}

const settings = ({ account, profile, run, sweep, session }: Known): string => `
[auth.openapi.session]
api_key = "${session}"

[phases.stateful]
enabled = false

[[operations]]
include-path-regex = "^/accounts/"
parameters = { "path.id" = "${account}", "path.symbol" = "BTCUSDT" }

[[operations]]
include-path-regex = "^/profiles/"
parameters = { "path.id" = "${profile}", "path.symbol" = "BTCUSDT", "path.runId" = "${run}", "path.sweepId" = "${sweep}" }
`;

async function seed(api: TestApi): Promise<Known> {
  await cacheRules(api, [BTC]);
  await cachePrice(api, BTC.symbol, '50000');
  const { account, profile } = await api.addProfile('Tested', { symbols: [BTC.symbol] });
  const params = { id: profile.id };
  const window = { from: '2024-01-01T00:00:00.000Z', to: '2024-02-01T00:00:00.000Z' };
  const { runId } = await api.call(launchBacktest, { params, body: window });
  const knobs = { symbol: BTC.symbol, knobs: 'buy.candleLimit=1..9' };
  const { sweepId } = await api.call(launchSweep, { params, body: { ...window, ...knobs } });
  const session = api.cookie?.split('=')[1] ?? '';
  return { account: account.id, profile: profile.id, run: runId, sweep: sweepId, session };
}

/** An exchange without candles, so that no error of it is passed on. */
const answerNothing: RequestListener = ({ url }, response) => {
  const answer = url?.endsWith('/time') === true ? { serverTime: Date.now() } : [];
  response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
};

async function run(program: string, api: TestApi, folder: string) {
  const args = [
    ...['--config-file', join(folder, 'schemathesis.toml'), 'run', `${api.url}/api/openapi.json`],
    ...['--url', `${api.url}/api`, '--header', `origin: ${ORIGIN}`],
    ...['--checks', 'not_a_server_error,content_type_conformance,response_schema_conformance'],
    ...['--max-response-time', '10', '--request-timeout', '60', '--max-examples', String(EXAMPLES), '--seed', '1'],
    ...['--no-color', '--exclude-path-regex', LEFT_OUT],
  ];
  const child = spawn(program, args, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: MAX_MINUTES * 60_000,
  });
  const [[code], stdout, stderr] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
  return { code, output: `${stdout}\n${stderr}` };
}

const program = pythonProgram('schemathesis', 'st');

test('schemathesis finds no request that the api answers with a server error, late, or against its own document', {
  skip: program === undefined ? notInstalled('schemathesis') : false,
}, async (context) => {
  await using api = await openTestApi({ exchange: answerNothing });
  await api.signUp();
  const known = await seed(api);
  const folder = await mkdtemp(join(tmpdir(), 'schemathesis-'));
  try {
    await writeFile(join(folder, 'schemathesis.toml'), settings(known));
    const { code, output } = await run(program ?? '', api, folder);
    context.diagnostic(output.trim().split('\n').slice(-12).join('\n'));
    assert.equal(code, 0, output.slice(-20_000));
  } finally {
    await rm(folder, { recursive: true });
  }
});
