import assert from 'node:assert/strict';
import test from 'node:test';
import { inspect } from 'node:util';
import { ExchangeError } from './errors.ts';
import { type Reaction, startScriptedServer } from '#test/exchange/scripted-server.ts';
import { createRateLimiter, type Reservation } from './limits.ts';
import { createSigner } from './signing.ts';
import { callUnsigned, createTransport, type Transport } from './transport.ts';

const call = { path: '/api/v3/time', priority: 'query', weight: 1 } as const;

async function reservationOf({ limiter }: Transport): Promise<Reservation> {
  const reservation = await limiter.acquire({ priority: 'query', weight: 1, waitMs: 0 });
  assert.ok(reservation !== undefined);
  return reservation;
}

async function failureOn(reaction: Reaction): Promise<ExchangeError> {
  await using server = await startScriptedServer(() => reaction);
  const error = await callUnsigned(createTransport(server.url, createRateLimiter()), call).catch(
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ExchangeError, inspect(error));
  return error;
}

test('an unsigned call carries no key header and no cookie', async () => {
  await using server = await startScriptedServer(() => ({ body: { serverTime: 1, large: '9007199254740993' } }));
  await callUnsigned(createTransport(server.url, createRateLimiter()), { ...call, params: { symbol: 'BTCUSDT' } });
  const [request] = server.requests;
  assert.deepEqual(Object.keys(request?.headers ?? {}).toSorted(), ['accept', 'connection', 'host', 'user-agent']);
  assert.equal(request?.rawQuery, 'symbol=BTCUSDT');
});

test('integers beyond 2^53 arrive exact', async () => {
  await using server = await startScriptedServer(() => ({ body: '{"orderId":9007199254740993}' }));
  const body = await callUnsigned(createTransport(server.url, createRateLimiter()), call);
  assert.deepEqual(body, { orderId: '9007199254740993' });
});

test('faults have reasons', async () => {
  const html = '<html><body>502 Bad Gateway</body></html>';
  const cases: readonly (readonly [Reaction, string, number | null])[] = [
    [{ status: 400, body: { code: -1121, msg: 'Invalid symbol.' } }, 'bad-symbol', -1121],
    [{ status: 502, body: html }, 'server-fault', null],
    [{ status: 403, body: html }, 'blocked', null],
    [{ status: 410, body: html }, 'gone', null],
    [{ status: 302, body: '', headers: { location: '/login' } }, 'unreadable', null],
    [{ status: 200, body: html }, 'unreadable', null],
    [{ status: 200, body: '{"cut' }, 'unreadable', null],
    ['reset', 'network', null],
  ];
  for (const [reaction, reason, code] of cases) {
    const error = await failureOn(reaction);
    assert.deepEqual([error.reason, error.code], [reason, code], inspect(reaction));
  }
  assert.equal((await failureOn({ status: 502, body: html })).payload, html);
});

test('a host that does not answer times out', async () => {
  await using server = await startScriptedServer(() => 'silence');
  const transport = createTransport(server.url, createRateLimiter());
  const reservation = await reservationOf(transport);
  const sent = transport.send({ method: 'GET', path: '/slow', query: 'a=1', reservation, timeoutMs: 50 });
  await assert.rejects(
    sent,
    (error) => error instanceof ExchangeError && error.reason === 'timeout' && !/a=1/.test(error.message),
  );
});

test('an absent host is a network fault', async () => {
  const server = await startScriptedServer(() => 'silence');
  await server[Symbol.asyncDispose]();
  const sent = callUnsigned(createTransport(server.url, createRateLimiter()), call);
  await assert.rejects(sent, (error) => error instanceof ExchangeError && error.reason === 'network');
});

test('the weight header and Retry-After reach the limiter', async () => {
  let reaction: Reaction = { body: {}, headers: { 'x-mbx-used-weight-1m': '5800' } };
  await using server = await startScriptedServer(() => reaction);
  const limiter = createRateLimiter(() => 10_000);
  const transport = createTransport(server.url, limiter);
  await callUnsigned(transport, call);
  await assert.rejects(callUnsigned(transport, { ...call, waitMs: 0 }), /rate limit/);
  reaction = {
    status: 429,
    body: { code: -1003, msg: 'Too much request weight used' },
    headers: { 'retry-after': '20' },
  };
  await assert.rejects(callUnsigned(transport, { ...call, priority: 'exit' }), /Too much/);
  await assert.rejects(callUnsigned(transport, { ...call, priority: 'exit', waitMs: 19_000 }), /rate limit/);
  assert.equal(server.requests.length, 2);
});

test('a server that repeats the request leaks nothing through errors', async () => {
  const credentials = { apiKey: 'CANARYKEY', secret: 'CANARYSECRET' };
  const signed = createSigner(credentials).signQuery({ symbol: 'BTCUSDT', timestamp: 1 });
  const signature = signed.query.split('signature=')[1] ?? '';
  const echo = (kind: 'json' | 'html' | 'garbage'): Reaction => {
    const text = `${signed.query} CANARYKEY CANARYSECRET`;
    if (kind === 'json') return { status: 400, body: { code: -1102, msg: text, data: { text } } };
    return { status: kind === 'html' ? 502 : 200, body: `<html>${text}</html>` };
  };
  for (const kind of ['json', 'html', 'garbage'] as const) {
    await using server = await startScriptedServer(() => echo(kind));
    const transport = createTransport(server.url, createRateLimiter());
    const error = await transport
      .send({ method: 'POST', path: '/api/v3/order', reservation: await reservationOf(transport), ...signed })
      .catch((thrown: unknown) => thrown);
    assert.ok(error instanceof ExchangeError);
    assert.equal(server.requests[0]?.headers['x-mbx-apikey'], 'CANARYKEY');
    const shown = inspect(error, { depth: null, showHidden: true }) + JSON.stringify(error.payload);
    assert.ok(!/CANARY/.test(shown) && !shown.includes(signature), shown);
    assert.ok(shown.includes('[redacted]'));
  }
});
