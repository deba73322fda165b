import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listProfiles } from '#api/contract/profiles.ts';
import { signUp } from '#api/contract/session.ts';
import { createToken, revokeToken } from '#api/contract/tokens.ts';
import { createClient as createProgram } from '#api/script-client.ts';
import { startRole } from '#test/deploy/role.ts';
import { freePorts } from '#test/harness/servers.ts';
import { openTestDatabase } from '#test/harness/test-database.ts';
import { createClient } from './client.ts';
import { until } from './until.ts';

const REPLICAS = 2;
const TOOLS = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

test('a revoked token is refused by the next request to every api process', { timeout: 240_000 }, async () => {
  await using stack = new AsyncDisposableStack();
  const { url: databaseUrl } = stack.use(await openTestDatabase());
  const urls = (await freePorts(REPLICAS)).map((port) => `http://127.0.0.1:${port}`);
  const [first = ''] = urls;
  for (const url of urls) {
    const env = { DATABASE_URL: databaseUrl, CACHE_URL: '', WEB_ORIGIN: first, PORT: new URL(url).port };
    const role = stack.use(startRole('api', { ...env, METRICS_PORT: '', LIVE_DEMO: '', LOG_LEVEL: 'warn' }));
    await until('a process serves', async () => {
      if (role.child.exitCode !== null) throw new Error(role.output());
      const ready = await fetch(`${url}/api/health/ready`).catch(() => undefined);
      return ready?.ok;
    });
  }
  const operator = createClient(`${first}/api`);
  await operator.call(signUp, { body: { email: 'a@example.org', password: 'a long enough password' } });
  const { id, token } = await operator.call(createToken, { body: { name: 'Program', scopes: ['read'] } });
  const read = (url: string) =>
    createProgram({ url, token, credentials: () => assert.fail('a token signs in nowhere') }).call(listProfiles, {});
  const list = async (url: string): Promise<number> => {
    const headers = { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream' };
    const body = JSON.stringify(TOOLS);
    const type = { 'content-type': 'application/json' };
    return (await fetch(`${url}/api/mcp`, { method: 'POST', headers: { ...headers, ...type }, body })).status;
  };
  for (const url of urls) {
    assert.deepEqual((await read(url)).profiles, []);
    assert.equal(await list(url), 200);
  }
  await operator.call(revokeToken, { params: { id } });
  for (const url of urls) {
    await assert.rejects(read(url), /unknown, expired or revoked/);
    assert.equal(await list(url), 401);
  }
});
