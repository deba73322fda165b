import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAccounts } from '#api/contract/accounts.ts';
import { addressOf, call } from './call.ts';
import { fieldError, ProblemError, problemOf } from './problem-error.ts';

test('an address fills parameters, escapes them and leaves absent query values out', () => {
  assert.equal(
    addressOf('/profiles/:id/symbols/:symbol', { id: 'a/b', symbol: 'BTCUSDT' }, undefined),
    '/api/profiles/a%2Fb/symbols/BTCUSDT',
  );
  assert.equal(
    addressOf('/candles', undefined, { symbol: 'BTCUSDT', before: undefined, limit: 5 }),
    '/api/candles?symbol=BTCUSDT&limit=5',
  );
});

test('field errors are found by path, from the body or from the config', () => {
  const errors = [
    { path: 'config.sell.stopLossPercentage', message: 'is above 1' },
    { path: 'buy.gridLevels[0].triggerPercentage', message: 'is below 1' },
  ];
  assert.equal(fieldError(errors, 'sell.stopLossPercentage'), 'is above 1');
  assert.equal(fieldError(errors, 'buy.gridLevels.0.triggerPercentage'), 'is below 1');
  assert.equal(fieldError(errors, 'sell'), undefined);
  const ofCoin = [{ path: 'overrideConfig.buy.candleLimit', message: 'is above 999' }];
  assert.equal(fieldError(ofCoin, 'buy.candleLimit'), 'is above 999');
});

test('a problem keeps the words of the server; anything else says which status it was', async () => {
  const problem = {
    type: 'about:blank',
    title: 'x',
    status: 409,
    detail: 'A profile of that name exists.',
    code: 'conflict',
  };
  const told = await problemOf(new Response(JSON.stringify(problem), { status: 409 }));
  assert.ok(told instanceof ProblemError);
  assert.equal(told.message, 'A profile of that name exists.');
  const html = await problemOf(new Response('<h1>Bad gateway</h1>', { status: 502 }));
  assert.match(html.message, /502/);
});

test('an answer that the service confirms as unchanged is the one before', async (context) => {
  const sent: (string | null)[] = [];
  context.mock.method(globalThis, 'fetch', (_address: string, init: RequestInit) => {
    sent.push(new Headers(init.headers).get('if-none-match'));
    if (sent.length === 2) return Promise.resolve(new Response(null, { status: 304, headers: { etag: 'W/"a"' } }));
    return Promise.resolve(
      Response.json({ accounts: [] }, { headers: { etag: sent.length === 1 ? 'W/"a"' : 'W/"b"' } }),
    );
  });
  const first = await call(listAccounts, {});
  const second = await call(listAccounts, {});
  const third = await call(listAccounts, {});
  assert.deepEqual(sent, [null, 'W/"a"', 'W/"a"']);
  assert.equal(second, first);
  assert.notEqual(third, first);
});
