import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf } from './call.ts';
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
