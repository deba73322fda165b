import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { createToken } from '#api/contract/tokens.ts';
import { openTestApi } from '#test/api/test-api.ts';

const MAIN = join(import.meta.dirname, 'main.ts');

async function run(lines: readonly string[], environment: Record<string, string>) {
  const env = { PATH: process.env['PATH'], ...environment };
  const child = spawn(process.execPath, [MAIN, 'mcp'], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(lines.map((line) => `${line}\n`).join(''));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return {
    answers: out
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
    err,
  };
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const CALL = { name: 'list_profiles', arguments: {} };

test('the program forwards each line to the service, in both protocol revisions', async () => {
  await using api = await openTestApi();
  await api.signUp();
  const { profile } = await api.addProfile('Spoken');
  const { token } = await api.call(createToken, { body: { name: 'stdio', scopes: ['read'] } });
  const lines = [
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...CALL, _meta: META } },
    { jsonrpc: '2.0', id: 2, method: 'tools/call', params: CALL },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
  ].map((line) => JSON.stringify(line));
  const { answers, err } = await run(lines, { TRADEWIND_URL: api.url, TRADEWIND_TOKEN: token });
  assert.equal(err, '');
  const found = answers.toSorted((a, b) => a.id - b.id).map(({ id, result }) => [id, JSON.stringify(result)]);
  assert.deepEqual(
    found.map(([id, result]) => [id, String(result).includes(profile.id)]),
    [
      [1, true],
      [2, true],
    ],
  );
  const refused = await run(lines.slice(0, 1), { TRADEWIND_URL: api.url, TRADEWIND_TOKEN: 'tw_wrong' });
  assert.match(refused.answers[0].error.message, /unknown, expired or revoked/);
});

test('without a token the program says how to get one', async () => {
  const { err } = await run([], {});
  assert.match(err, /tradewind token create/);
});
