import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { EMAIL, openTestApi, ORIGIN, PASSWORD } from '#api/test-api.ts';
import { until } from '../flow/until.ts';
import { freePort } from '../harness/servers.ts';
import { ROOT } from '../harness/source-files.ts';

const missing = spawnSync('nginx', ['-v']).error === undefined ? false : 'no nginx on this machine';
if (missing !== false) console.log(`﹣ deploy/nginx.conf: ${missing}, so it is not tested here`);

/** nginx with the configuration that is delivered, in front of this api. */
async function openProxy(apiUrl: string, stack: AsyncDisposableStack): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'nginx-'));
  const port = await freePort();
  const delivered = readFileSync(join(ROOT, 'deploy/nginx.conf'), 'utf8');
  const server = delivered.replace('listen 80;', `listen 127.0.0.1:${port};`).replace('http://api:8080', apiUrl);
  assert.ok(server.includes(apiUrl) && server.includes(`:${port};`), 'the configuration still has both places');
  const temps = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const http = `http { access_log off; ${temps.join(' ')}\n${server}}`;
  writeFileSync(join(folder, 'nginx.conf'), `daemon off; pid ${folder}/pid; events {}\n${http}`);
  const child = spawn('nginx', ['-c', join(folder, 'nginx.conf'), '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  stack.defer(async () => {
    if (child.exitCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    rmSync(folder, { recursive: true });
  });
  await until(
    'nginx answers',
    async () => (await send(port, 'GET', '/api/status').catch(() => ({ status: 0 }))).status === 200,
  );
  return port;
}

interface Sent {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** The address that the visitor comes from. */
  readonly from?: string;
}

function send(port: number, method: string, path: string, { body, headers, from = '127.0.0.1' }: Sent = {}) {
  const text = body === undefined ? '' : JSON.stringify(body);
  const all = { origin: ORIGIN, 'content-type': 'application/json', 'content-length': text.length, ...headers };
  return new Promise<{ status: number; cookie: string }>((resolve, reject) => {
    const options = { host: '127.0.0.1', port, method, path, headers: all, localAddress: from, agent: false };
    const sent = request(options, (response) => {
      response.resume().on('end', () => {
        const [cookie = ''] = response.headers['set-cookie'] ?? [];
        resolve({ status: response.statusCode ?? 0, cookie: cookie.split(';')[0] ?? '' });
      });
    });
    sent.on('error', reject).end(text);
  });
}

test('behind the delivered nginx nobody can choose the address that is throttled and audited', {
  skip: missing,
}, async () => {
  await using stack = new AsyncDisposableStack();
  const api = stack.use(await openTestApi());
  const port = await openProxy(api.url, stack);
  await api.signUp();
  const credentials = { email: EMAIL, password: PASSWORD };
  const spoofs = [
    { 'x-forwarded-for': '198.51.100.1' },
    { 'x-forwarded-for': '127.0.0.2, 203.0.113.9' },
    { 'x-real-ip': '203.0.113.7' },
    { 'x-forwarded-for': ', ,' },
    { forwarded: 'for=203.0.113.8', 'x-forwarded-for': '"quoted"' },
  ];
  for (const headers of spoofs) {
    const { status } = await send(port, 'POST', '/api/auth/sign-in', {
      headers,
      body: { ...credentials, password: 'wrong' },
    });
    assert.equal(status, 401);
  }
  const sixth = { headers: { 'x-forwarded-for': '192.0.2.200' }, body: credentials };
  assert.equal((await send(port, 'POST', '/api/auth/sign-in', sixth)).status, 429, 'every spoof fell into one bucket');
  const other = await send(port, 'POST', '/api/auth/sign-in', { ...sixth, from: '127.0.0.2' });
  assert.equal(other.status, 200, 'another address has a bucket of its own, which nobody has filled for it');
  const headers = { cookie: other.cookie, 'x-forwarded-for': '192.0.2.1', 'x-real-ip': '192.0.2.2' };
  const change = { headers, body: { timezone: 'Europe/Berlin' }, from: '127.0.0.2' };
  assert.equal((await send(port, 'PATCH', '/api/account/settings', change)).status, 200);
  const audits = await api.database.kysely.selectFrom('audit_logs').select(['action', 'ip']).execute();
  assert.equal(audits.find(({ action }) => action === 'settings.change')?.ip, '127.0.0.2');
});
