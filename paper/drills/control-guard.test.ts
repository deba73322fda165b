import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type OutgoingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { formatDecimal } from '#core/amount/decimal.ts';
import type { PaperExchange } from '#paper/server.ts';
import { startTestServer } from '#test/paper/test-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'paper-control-'));
const controlTokenFile = join(folder, 'paper-control-token');
const accounts = [{ name: 'ann', apiKey: 'k', secret: 's', balances: { USDT: '100' } }];
let paper: PaperExchange;
before(async () => {
  // A token file of an earlier run that every user can read.
  writeFileSync(controlTokenFile, 'old', { mode: 0o644 });
  paper = await startTestServer(accounts, { controlTokenFile });
});
after(async () => {
  await paper[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** The status of one request with exactly these headers. `fetch` does not allow a test to set Host and Origin. */
async function ask(work: string, headers: OutgoingHttpHeaders, body = ''): Promise<number> {
  const [method = '', path = ''] = work.split(' ');
  const { port } = new URL(paper.controlUrl);
  const length = body === '' ? {} : { 'content-length': body.length };
  const sent = request({ host: '127.0.0.1', port, method, path, headers: { ...headers, ...length }, agent: false });
  sent.end(body);
  const [answer] = await once(sent, 'response');
  answer.resume();
  return Number(answer.statusCode);
}

const rich = JSON.stringify({ account: 'ann', balances: { USDT: '999' } });
const own = (): Record<string, string> => ({ ...paper.controlHeaders });

for (const { what, headers, status } of [
  { what: 'a web page', headers: () => ({ ...own(), origin: 'http://evil.example' }), status: 403 },
  { what: 'a page without an origin of its own', headers: () => ({ ...own(), origin: 'null' }), status: 403 },
  { what: 'a foreign name of this machine', headers: () => ({ ...own(), host: 'evil.example:80' }), status: 403 },
  {
    what: 'a name that only begins like this machine',
    headers: () => ({ ...own(), host: 'localhost.evil' }),
    status: 403,
  },
  { what: 'a form', headers: () => ({ ...own(), 'content-type': 'text/plain' }), status: 415 },
  { what: 'no token', headers: () => ({ 'content-type': 'application/json' }), status: 401 },
  { what: 'another token', headers: () => ({ ...own(), authorization: 'Bearer x' }), status: 401 },
]) {
  test(`the control port refuses ${what}`, async () => {
    assert.equal(await ask('POST /balances', headers(), rich), status);
    assert.equal(formatDecimal(paper.venue.engine.balances.balance('ann', 'USDT').free), '100');
  });
}

test('the control port serves requests with its token, under every name of this machine', async () => {
  for (const host of ['127.0.0.1:1', 'localhost', '[::1]:18081'])
    assert.equal(await ask('GET /profile', { ...own(), host }), 200);
  const readonly = { authorization: own()['authorization'] };
  assert.equal(await ask('DELETE /log', readonly), 200, 'without a body no content type is needed');
});

test('metrics need no token, but a web page cannot read them under its own host name', async () => {
  assert.equal(await ask('GET /metrics', {}), 200);
  assert.equal(await ask('GET /metrics', { host: 'evil.example' }), 403);
});

test('the token is in a new file that only its owner can read, and every start creates another one', async () => {
  const stored = readFileSync(controlTokenFile, 'utf8').trim();
  assert.equal(stored, paper.controlToken);
  assert.equal(statSync(controlTokenFile).mode & 0o777, 0o600);
  assert.ok(stored.length >= 32);
  const next = join(folder, 'next');
  await using another = await startTestServer(accounts, { controlTokenFile: next });
  assert.notEqual(another.controlToken, stored);
});
