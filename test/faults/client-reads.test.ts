import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { checkKey, type KeyHealth } from '#exchange/check-key.ts';
import { ExchangeError } from '#exchange/errors.ts';
import { createRateLimiter } from '#exchange/limits.ts';
import { createMarketReader } from '#exchange/read.ts';
import { callUnsigned, createTransport } from '#exchange/transport.ts';
import { type ClientBench, openClient, SYMBOL } from './client-bench.ts';

/* Reads, and the check of a key, on the paper exchange. */

let on: ClientBench;
before(async () => {
  on = await openClient(['a']);
});
after(() => on[Symbol.asyncDispose]());
beforeEach(async () => {
  await on.control('DELETE /faults');
  await on.control('DELETE /bans');
  await on.control('DELETE /log');
});

const PRICE = '/api/v3/ticker/price';
const call = { path: PRICE, params: { symbol: SYMBOL }, priority: 'query', weight: 1 } as const;
const answerOnce = (path: string, status: number, more: object) =>
  on.control('POST /faults', [{ match: { path }, kind: 'fail-before', status, ...more }]);

test('a read that is not answered in time fails without its query', async () => {
  await on.control('POST /faults', [{ match: { path: PRICE }, kind: 'delay', delayMs: 60_000 }]);
  const transport = createTransport(on.paper.url, createRateLimiter());
  const reservation = await transport.limiter.acquire({ priority: 'query', weight: 1, waitMs: 0 });
  assert.ok(reservation !== undefined);
  const request = { method: 'GET', path: PRICE, query: 'symbol=BTCUSDT', reservation, timeoutMs: 50 } as const;
  await assert.rejects(
    transport.send(request),
    (error) => error instanceof ExchangeError && error.reason === 'timeout' && !/symbol=/.test(error.message),
  );
});

test('an absent host is a network fault', async () => {
  const reader = createMarketReader({ restUrl: 'http://127.0.0.1:1', limiter: createRateLimiter() });
  await assert.rejects(reader.price(SYMBOL), (error) => error instanceof ExchangeError && error.reason === 'network');
});

test('the text of an answer that is not JSON is kept', async () => {
  const html = '<html><body>502 Bad Gateway</body></html>';
  await answerOnce(PRICE, 502, { body: html });
  const transport = createTransport(on.paper.url, createRateLimiter());
  await assert.rejects(callUnsigned(transport, call), (error) => {
    assert.ok(error instanceof ExchangeError);
    assert.equal(error.payload, html);
    return true;
  });
});

test('the used weight that an answer names limits later calls', async () => {
  await answerOnce(PRICE, 200, { body: {}, headers: { 'x-mbx-used-weight-1m': '5800' } });
  const transport = createTransport(
    on.paper.url,
    createRateLimiter(() => 10_000),
  );
  await callUnsigned(transport, call);
  await assert.rejects(callUnsigned(transport, { ...call, waitMs: 0 }), /rate limit/);
  assert.equal((await on.log()).length, 1);
});

test('the weight limit of the exchange information holds from then on', async () => {
  const limit = { rateLimitType: 'REQUEST_WEIGHT', interval: 'MINUTE', intervalNum: 1, limit: 100 };
  await answerOnce('/api/v3/exchangeInfo', 200, { body: { rateLimits: [limit], symbols: [] } });
  const limiter = createRateLimiter();
  assert.deepEqual(await createMarketReader({ restUrl: on.paper.url, limiter }).rules(), []);
  const acquire = (weight: number) => limiter.acquire({ priority: 'exit', weight, waitMs: 0 });
  assert.equal(await acquire(79), undefined);
  assert.ok((await acquire(78)) !== undefined);
});

const RESTRICTIONS = '/sapi/v1/account/apiRestrictions';
const ACCOUNT = '/api/v3/account';
const SOUND = { ipRestrict: true, enableReading: true, enableWithdrawals: false, enableSpotAndMarginTrading: true };
const REFUSED = { status: 401, body: { code: -2015, msg: 'no' } };

interface KeyCase {
  /** Answers in place of those of the exchange. */
  readonly restrictions?: object;
  readonly account?: object;
  readonly live?: boolean;
  readonly secret?: string;
}

async function check({ restrictions, account, live = true, secret }: KeyCase): Promise<KeyHealth> {
  await on.control('DELETE /faults');
  await on.control('DELETE /log');
  for (const [path, given] of [
    [RESTRICTIONS, restrictions],
    [ACCOUNT, account],
  ] as const)
    if (given !== undefined) await answerOnce(path, 200, given);
  const own = on.keyOf('a');
  const link = { restUrl: on.paper.url, clock: on.market.clock, limiter: createRateLimiter() };
  return checkKey({ ...link, ...own, secret: secret ?? own.secret, live });
}
const causeOf = (health: KeyHealth): string => (health.status === 'error' ? health.cause : String(health.status));
const paths = async (): Promise<string[]> => (await on.log()).map(({ path }) => path);

test('a key that may withdraw, or may not trade or read, is refused before any other request', async () => {
  for (const [wrong, pattern] of [
    [{ enableWithdrawals: true }, /allowed to withdraw/],
    [{ enableSpotAndMarginTrading: false }, /spot trading is turned off/],
    [{ enableReading: false }, /reading is turned off/],
  ] as const) {
    assert.match(causeOf(await check({ restrictions: { body: { ...SOUND, ...wrong } } })), pattern);
    assert.deepEqual(await paths(), [RESTRICTIONS]);
  }
});

test('an account that may not trade is no fault of its key, where the venue reports permissions', async () => {
  const account = { body: { canTrade: false, canWithdraw: true, balances: [] } };
  assert.match(causeOf(await check({ account })), /this account trade/);
  assert.match(causeOf(await check({ account, live: false })), /the key lacks the permission for spot trading/);
  assert.deepEqual(await paths(), [ACCOUNT]);
});

test('a refusal has three causes, unless the permissions distinguish them', async () => {
  const everywhere = causeOf(await check({ restrictions: REFUSED }));
  assert.match(everywhere, /permission.*IP allow-list.*revoked or expired/);
  assert.equal(causeOf(await check({ live: false, account: REFUSED })), everywhere);
  const onlyAccount = causeOf(await check({ account: REFUSED }));
  assert.match(onlyAccount, /lacks a permission/);
  assert.doesNotMatch(onlyAccount, /revoked/);
});

test('other definite refusals have a cause, and so has a secret that cannot sign', async () => {
  for (const [status, code] of [
    [401, -2014],
    [401, -1002],
    [400, -1022],
    [401, -9999],
  ] as const) {
    const account = { status, body: { code, msg: 'no' } };
    assert.equal((await check({ live: false, account })).status, 'error', `${code}`);
  }
  const pem = '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----';
  assert.match(causeOf(await check({ secret: pem })), /PEM/);
  assert.deepEqual(await paths(), []);
});

test('faults unrelated to the key leave the result open', async () => {
  const body = '<html>502</html>';
  const failed = (status: number, code: number) => ({ status, body: { code, msg: 'no' } });
  for (const restrictions of [
    ...[{ kind: 'reset' }, { status: 502, body }, { status: 403, body }, { status: 401, body }],
    { body: '{"enableWithdrawals":false}' },
    ...[failed(429, -1003), failed(418, -1003), { ...failed(400, -1021), times: 2 }, failed(503, -1008)],
  ])
    assert.deepEqual(await check({ restrictions }), { status: null }, JSON.stringify(restrictions));
});
