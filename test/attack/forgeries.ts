import { randomBytes, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Behaviours } from './behaviours.ts';

const RESTORE = gzipSync(Buffer.alloc(20_000_000, 'a'));
const INTERNAL = [
  'http://169.254.169.254/latest/meta-data',
  'http://127.0.0.1:5432',
  'http://[::1]:8080/api/backup',
  'http://10.0.0.1',
];
const token = (): string => randomBytes(32).toString('base64url');
const address = (): string => Array.from({ length: 4 }, () => Math.floor(Math.random() * 254) + 1).join('.');
const pick = <T>(list: readonly T[], i: number): T | undefined => list[i % list.length];

/** Pretends to be another user, or requests locked operations. */
export const FORGERIES: Behaviours = {
  'reads and changes API keys and accounts': (visitor) =>
    visitor.many(6, (i) => {
      const account = `/accounts/${visitor.target.accountId}`;
      if (i % 3 === 0) return visitor.get(`${account}/api-key`);
      if (i % 3 === 1)
        return visitor.change('PUT', `${account}/api-key`, { label: 'x', apiKey: token(), secret: token() });
      return visitor.change('DELETE', account);
    }),
  'sends notifiers to internal addresses': (visitor) =>
    visitor.many(6, (i) => {
      const path = `/profiles/${visitor.profile}/notifiers/webhook`;
      if (i % 3 === 0) return visitor.change('POST', `${path}/test`);
      if (i % 3 === 1) return visitor.change('POST', '/ops-notify/test');
      return visitor.change('PUT', path, { secrets: { url: pick(INTERNAL, i) } });
    }),
  'asks AI providers at internal addresses': (visitor) =>
    visitor.many(6, (i) =>
      i % 2 === 0
        ? visitor.change('PATCH', '/ai-provider', { provider: 'openai', baseUrl: pick(INTERNAL, i), model: 'x' })
        : visitor.change(
            'POST',
            i % 4 === 1 ? '/ai-provider/test' : `/profiles/${visitor.profile}/backtests/${randomUUID()}/advisor/review`,
          ),
    ),
  'retries and removes failed jobs': (visitor) =>
    visitor.many(6, (i) =>
      visitor.change(i % 2 === 0 ? 'POST' : 'DELETE', `/dead-letters/${randomUUID()}${i % 2 === 0 ? '/retry' : ''}`),
    ),
  'downloads backups in parallel': (visitor) =>
    visitor.many(10, (i) => visitor.get(`${pick(['/backup', '/backup/', '/./backup', '/%62ackup'], i)}`)),
  'uploads backups': (visitor) =>
    visitor.many(2, () =>
      visitor.send('POST', '/restore', { body: RESTORE, headers: { 'content-type': 'application/gzip' } }),
    ),
  'ends sessions and changes the password': (visitor) =>
    visitor.many(6, (i) =>
      visitor.change(
        'POST',
        pick(['/auth/change-password', '/auth/sessions/revoke-others', '/auth/sign-out', '/auth/sign-up'], i) ?? '',
        {
          ...{ currentPassword: 'a', newPassword: token(), email: 'b@example.org', password: token() },
        },
      ),
    ),
  'signs in without pause with long passwords': (visitor) =>
    visitor.many(6, (i) =>
      visitor.change('POST', '/auth/sign-in', {
        email: 'a@example.org',
        password: 'p'.repeat(i % 2 === 0 ? 200 : 60_000),
      }),
    ),
  'signs in from many addresses': (visitor) =>
    visitor.many(6, () =>
      visitor.send('POST', '/auth/sign-in', {
        body: JSON.stringify({ email: 'a@example.org', password: token() }),
        headers: { 'x-forwarded-for': address() },
      }),
    ),
  'guesses sessions': (visitor) =>
    visitor.many(10, () => {
      const { port } = new URL(visitor.target.url);
      return visitor.get('/auth/session', {
        cookie: `tradewind_session_${port}=${token()}; tradewind_session=${token()}`,
      });
    }),
  'floods from many addresses': (visitor) =>
    visitor.many(10, (i) =>
      i % 2 === 0
        ? visitor.get('/dashboard', { 'x-forwarded-for': address() })
        : visitor.send('PATCH', `/profiles/${visitor.profile}`, {
            body: JSON.stringify({ name: `f-${randomBytes(8).toString('hex')}` }),
            headers: { 'x-forwarded-for': `2001:db8:${i}:${Math.floor(Math.random() * 9999)}::1` },
          }),
    ),
  'forges forwarded addresses': (visitor) =>
    visitor.many(8, (i) => {
      const value =
        pick(
          [`127.0.0.1, ${visitor.address}`, 'x'.repeat(5000), `::1,,,${visitor.address}`, `${visitor.address}:${i}`],
          i,
        ) ?? '';
      return visitor.get('/auth/session', {
        'x-forwarded-for': value,
        'x-real-ip': '127.0.0.1',
        forwarded: 'for=127.0.0.1',
      });
    }),
  'forges hosts and origins': (visitor) =>
    visitor.many(8, (i) => {
      const headers = pick(
        [
          { host: 'evil.example' },
          { origin: 'http://evil.example' },
          { origin: 'null' },
          { host: '169.254.169.254', 'x-forwarded-host': 'evil' },
        ],
        i,
      );
      return visitor.send(i % 2 === 0 ? 'GET' : 'PUT', '/kill-switch', {
        body: '{"engaged":true}',
        headers: { ...headers },
      });
    }),
  'has a foreign page change something': (visitor) =>
    visitor.many(6, (i) =>
      visitor.send('POST', `/profiles/${visitor.profile}/disable`, {
        body: '{"engaged":true}',
        headers: {
          ...{
            'content-type':
              pick(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'], i) ?? '',
          },
          ...{ 'x-tradewind-client': '', origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' },
        },
      }),
    ),
  'sends wrong content types and methods': (visitor) =>
    visitor.many(6, (i) =>
      visitor.send(pick(['PUT', 'OPTIONS', 'TRACE', 'PROPFIND', 'HEAD', 'PATCH'], i) ?? '', '/kill-switch', {
        body: '<engaged>true</engaged>',
        headers: {
          'content-type': pick(['application/xml', 'text/csv', 'application/json; charset=utf-7'], i) ?? '',
          'x-http-method-override': 'DELETE',
        },
      }),
    ),
  'sends compressed bodies': (visitor) =>
    visitor.many(4, () =>
      visitor.send('PATCH', `/profiles/${visitor.profile}`, { body: RESTORE, headers: { 'content-encoding': 'gzip' } }),
    ),
};
