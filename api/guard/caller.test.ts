import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callerOf } from './caller.ts';

const HTTPS = 'https://trade.example.org';
const HTTP = 'http://127.0.0.1:8080';
const cases: readonly (readonly [
  string,
  { host: string; origin: string | null; listed: string[]; secure: boolean },
])[] = [
  ['the origin itself', { host: 'x', origin: HTTPS, listed: [HTTP, HTTPS], secure: true }],
  ['the origin itself, plain', { host: 'x', origin: HTTP, listed: [HTTP, HTTPS], secure: false }],
  ['the requested host', { host: 'trade.example.org', origin: null, listed: [HTTP, HTTPS], secure: true }],
  ['the requested host over http', { host: '127.0.0.1:8080', origin: null, listed: [HTTP, HTTPS], secure: false }],
  ['all origins, where a proxy changed the host', { host: 'api:8080', origin: null, listed: [HTTPS], secure: true }],
  ['all origins, one of them plain', { host: 'api:8080', origin: null, listed: [HTTP, HTTPS], secure: false }],
];
for (const [what, { host, origin, listed, secure }] of cases) {
  test(`whether the cookie is Secure is decided by ${what}`, () => {
    assert.equal(callerOf(new Headers({ host }), { origin, listed }).secure, secure);
  });
}

test('a user agent is kept up to a length', () => {
  const { userAgent } = callerOf(new Headers({ 'user-agent': 'x'.repeat(5000) }), { origin: null, listed: [] });
  assert.equal(userAgent.length, 300);
});
