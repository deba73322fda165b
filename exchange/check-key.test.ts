import assert from 'node:assert/strict';
import test from 'node:test';
import type { ExchangeClock } from '#core/ports/exchange.ts';
import { checkKey, type KeyHealth } from './check-key.ts';
import { type Reaction, startScriptedServer } from '#test/exchange/scripted-server.ts';
import { createRateLimiter } from './limits.ts';

const clock: ExchangeClock = {
  protocolMs: () => 1_700_000_000_000,
  marketMs: () => 0,
  marketSpeed: () => 1,
  sync: async () => undefined,
};
const RESTRICTIONS = '/sapi/v1/account/apiRestrictions';
const sound = { ipRestrict: true, enableReading: true, enableWithdrawals: false, enableSpotAndMarginTrading: true };
const account = { canTrade: true, canWithdraw: true, balances: [] };
const refused = (status: number, code: number): Reaction => ({ status, body: { code, msg: 'no' } });

interface Answers {
  readonly restrictions?: Reaction;
  readonly account?: Reaction;
  readonly live?: boolean;
  readonly secret?: string;
}

async function check(answers: Answers): Promise<{ health: KeyHealth; paths: string[] }> {
  await using server = await startScriptedServer(({ path }) =>
    path === RESTRICTIONS ? (answers.restrictions ?? { body: sound }) : (answers.account ?? { body: account }),
  );
  const health = await checkKey({
    restUrl: server.url,
    apiKey: 'the-api-key',
    secret: answers.secret ?? 'the-secret',
    clock,
    live: answers.live ?? true,
    limiter: createRateLimiter(),
  });
  return { health, paths: server.requests.map(({ path }) => path) };
}

test('a live key is healthy when it may read and trade, but not withdraw', async () => {
  const { health, paths } = await check({});
  assert.deepEqual(health, { status: 'healthy', unchecked: null });
  assert.deepEqual(paths, [RESTRICTIONS, '/api/v3/account']);
});

test('on other venues the permissions are not requested, and the result says so', async () => {
  const { health, paths } = await check({ live: false });
  assert.ok(health.status === 'healthy' && /only the live exchange/.test(health.unchecked ?? ''));
  assert.deepEqual(paths, ['/api/v3/account']);
});

test('a key that may withdraw, or may not trade or read, is refused before any other request', async () => {
  for (const [wrong, pattern] of [
    [{ enableWithdrawals: true }, /allowed to withdraw/],
    [{ enableSpotAndMarginTrading: false }, /spot trading is turned off/],
    [{ enableReading: false }, /reading is turned off/],
  ] as const) {
    const { health, paths } = await check({ restrictions: { body: { ...sound, ...wrong } } });
    assert.ok(health.status === 'error' && pattern.test(health.cause), JSON.stringify(health));
    assert.deepEqual(paths, [RESTRICTIONS]);
  }
});

test('an account that may not trade is no fault of its key', async () => {
  const { health } = await check({ account: { body: { ...account, canTrade: false } } });
  assert.ok(health.status === 'error' && /this account trade/.test(health.cause));
});

test('when the venue does not report permissions, a missing one is named as a cause', async () => {
  const { health } = await check({ live: false, account: { body: { ...account, canTrade: false } } });
  assert.ok(health.status === 'error');
  assert.match(health.cause, /the key lacks the permission for spot trading/);
});

test('a refusal has three causes, unless the permissions distinguish them', async () => {
  const everywhere = await check({ restrictions: refused(401, -2015) });
  assert.ok(everywhere.health.status === 'error');
  assert.match(everywhere.health.cause, /permission.*IP allow-list.*revoked or expired/);
  const here = await check({ live: false, account: refused(401, -2015) });
  assert.deepEqual(here.health, everywhere.health);
  const onlyAccount = await check({ account: refused(401, -2015) });
  assert.ok(onlyAccount.health.status === 'error');
  assert.match(onlyAccount.health.cause, /lacks a permission/);
  assert.doesNotMatch(onlyAccount.health.cause, /revoked/);
});

test('other definite refusals have a cause, and so has a secret that cannot sign', async () => {
  for (const [status, code] of [
    [401, -2014],
    [401, -1002],
    [400, -1022],
    [401, -9999],
  ] as const) {
    assert.equal((await check({ live: false, account: refused(status, code) })).health.status, 'error', `${code}`);
  }
  const { health, paths } = await check({ secret: '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----' });
  assert.ok(health.status === 'error' && /PEM/.test(health.cause));
  assert.deepEqual(paths, []);
});

test('faults unrelated to the key leave the result open', async () => {
  const html = '<html>502</html>';
  const reactions: readonly Reaction[] = [
    'reset',
    { status: 502, body: html },
    { status: 403, body: html },
    { status: 401, body: html },
    { body: '{"enableWithdrawals":false}' },
    refused(429, -1003),
    refused(418, -1003),
    refused(400, -1021),
    refused(503, -1008),
  ];
  for (const reaction of reactions) {
    const { health } = await check({ restrictions: reaction });
    assert.deepEqual(health, { status: null }, JSON.stringify(reaction));
  }
});
