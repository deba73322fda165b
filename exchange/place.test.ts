import assert from 'node:assert/strict';
import test from 'node:test';
import { inspect } from 'node:util';
import { requireDecimal } from '#core/amount/decimal.ts';
import type { OrderDraft } from '#core/order/order.ts';
import type { ExchangeClock } from '#core/ports/exchange.ts';
import { orderOf } from '#test/exchange/orders.ts';
import { startScriptedServer } from '#test/exchange/scripted-server.ts';
import { createRateLimiter } from './limits.ts';
import { orderParams } from './order-request.ts';
import { createTrading } from './place.ts';

const ID = 'tw1-0123456789abc-e1';
const SECRET = 'CANARYSECRET';
const KEY = 'CANARYKEY';
const clock: ExchangeClock = {
  protocolMs: () => 1_700_000_000_000,
  marketMs: () => 1_700_000_000_000,
  marketSpeed: () => 1,
  sync: async () => undefined,
};

test('each form of order sends exact plain decimals', () => {
  const price = requireDecimal('0.00000012');
  const stopPrice = requireDecimal('123456789.00000013');
  const cases: readonly (readonly [OrderDraft['form'], object])[] = [
    [{ type: 'market' }, { type: 'MARKET' }],
    [
      { type: 'limit', price },
      { type: 'LIMIT', timeInForce: 'GTC', price: '0.00000012' },
    ],
    [
      { type: 'stop-loss-limit', price, stopPrice },
      { type: 'STOP_LOSS_LIMIT', timeInForce: 'GTC', price: '0.00000012', stopPrice: '123456789.00000013' },
    ],
  ];
  for (const [form, expected] of cases) {
    assert.deepEqual(orderParams(orderOf({ form, side: 'sell' }), ID), {
      symbol: 'BTCUSDT',
      side: 'SELL',
      quantity: '0.0000001',
      newClientOrderId: ID,
      newOrderRespType: 'FULL',
      ...expected,
    });
  }
});

/** The paper exchange never repeats a request. */
test('no outcome shows key, secret or signature, even when the server repeats them', async () => {
  for (const status of [200, 400, 502]) {
    await using server = await startScriptedServer((request) => {
      const text = `${request.rawQuery} ${JSON.stringify(request.headers)} ${SECRET}`;
      return { status, body: status === 400 ? { code: -1102, msg: text, data: { text } } : text };
    });
    const trading = createTrading({
      restUrl: server.url,
      apiKey: KEY,
      secret: SECRET,
      clock,
      limiter: createRateLimiter(),
    });
    const sendBeforeMs = clock.protocolMs();
    const shown = inspect(
      [
        await trading.place({ order: orderOf(), clientOrderId: ID, sendBeforeMs, halted: () => false }),
        await trading.cancel('BTCUSDT', ID, `${ID}-c`),
        await trading.findOrder('BTCUSDT', { clientOrderId: ID }),
        await trading.wallet().catch((error: unknown) => error),
        trading,
      ],
      { depth: null, showHidden: true },
    );
    const signatures = server.requests.map(({ query }) => query['signature'] ?? '');
    assert.ok(!/CANARY/.test(shown) && shown.includes('[redacted]'), shown);
    assert.ok(signatures.length > 3 && signatures.every((signature) => !shown.includes(signature)));
    assert.ok(server.requests.every(({ headers }) => headers['x-mbx-apikey'] === KEY));
  }
});
