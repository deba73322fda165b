import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { EMAIL, openTestApi, ORIGIN, PASSWORD } from '#test/api/test-api.ts';
import { freePort } from '#test/harness/servers.ts';
import { openNginx, withoutNginx } from './nginx.ts';

const missing = withoutNginx;
if (missing !== false) console.log(`﹣ deploy/nginx.conf: ${missing}, so it is not tested here`);

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

test('behind the delivered nginx no client can choose the address that is throttled and audited', {
  skip: missing,
}, async () => {
  await using stack = new AsyncDisposableStack();
  const api = stack.use(await openTestApi());
  const port = await freePort();
  await openNginx(stack, { port, apiPorts: [Number(new URL(api.url).port)] });
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
