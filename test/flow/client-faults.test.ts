import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { z } from 'zod';
import { requireDecimal } from '#core/decimal.ts';
import { clientOrderIdOf } from '#core/order.ts';
import { orderOf } from '#exchange/fixtures/orders.ts';
import { createGovernor } from '#exchange/limits.ts';
import { createTrading } from '#exchange/place.ts';
import { createMarketReader } from '#exchange/read.ts';
import { parseAccounts } from '#paper/accounts.ts';
import { startPaper } from '#paper/server.ts';
import { KEY } from './stack.ts';

const SYMBOL = 'BTCUSDT';
const HTML = '<html><body>502 Bad Gateway</body></html>';
const CLOCK = { code: -1021, msg: 'Timestamp for this request is outside of the recvWindow.' };
const WEIGHT = { code: -1003, msg: 'Too much request weight used.' };

interface Case {
  readonly fault: object;
  readonly outcome: 'accepted' | 'rejected' | 'unknown';
  /** Orders on the exchange afterwards. */
  readonly orders: 0 | 1;
}

const CASES: Readonly<Record<string, Case>> = {
  'an HTML page before the work': {
    fault: { kind: 'fail-before', status: 502, body: HTML },
    outcome: 'unknown',
    orders: 0,
  },
  'an HTML page after the work': {
    fault: { kind: 'apply-then-fail', status: 502, body: HTML },
    outcome: 'unknown',
    orders: 1,
  },
  'a firewall page': { fault: { kind: 'fail-before', status: 403, body: HTML }, outcome: 'unknown', orders: 0 },
  'garbage with status 200, nothing done': {
    fault: { kind: 'fail-before', status: 200, body: HTML },
    outcome: 'unknown',
    orders: 0,
  },
  'garbage with status 200, all done': {
    fault: { kind: 'apply-then-fail', status: 200, body: {} },
    outcome: 'unknown',
    orders: 1,
  },
  'a timeout inside the exchange': { fault: { kind: 'apply-then-fail', status: 504 }, outcome: 'unknown', orders: 1 },
  'a reset before the work': { fault: { kind: 'reset' }, outcome: 'unknown', orders: 0 },
  'a reset after the work': { fault: { kind: 'reset', applied: true }, outcome: 'unknown', orders: 1 },
  'a late reply': { fault: { kind: 'delay', delayMs: 300 }, outcome: 'accepted', orders: 1 },
  'a clock that is off, once': {
    fault: { kind: 'fail-before', status: 400, body: CLOCK },
    outcome: 'accepted',
    orders: 1,
  },
  'a used-up limit': { fault: { kind: 'fail-before', status: 429, body: WEIGHT }, outcome: 'rejected', orders: 0 },
};

const logged = z.array(
  z.object({ method: z.string(), path: z.string(), headers: z.array(z.string()), params: z.array(z.string()) }),
);

for (const [name, { fault, outcome, orders }] of Object.entries(CASES)) {
  test(`${name}: the order is ${outcome}, and the exchange has ${orders} of it`, async () => {
    await using paper = await startPaper({
      port: 0,
      controlPort: 0,
      accounts: parseAccounts([{ name: 'a', ...KEY, balances: { USDT: '10000' } }], 'The accounts of the test'),
      source: { kind: 'synthetic' },
      clock: { kind: 'real' },
      speed: 1,
      seed: 5,
    });
    const market = createMarketReader({ restUrl: paper.url, governor: createGovernor() });
    await market.clock.sync();
    const connect = () =>
      createTrading({ restUrl: paper.url, ...KEY, clock: market.clock, governor: createGovernor() });
    const body = JSON.stringify([{ match: { method: 'POST', path: '/api/v3/order' }, ...fault }]);
    assert.equal((await fetch(`${paper.controlUrl}/faults`, { method: 'POST', body })).status, 200);
    const order = orderOf({ symbol: SYMBOL, quantity: requireDecimal('0.002') });
    const { profileId, symbol, purpose } = order;
    const clientOrderId = clientOrderIdOf({ profileId, symbol, purpose, sequence: 1 });
    const sendBeforeMs = market.clock.protocolMs() + 2_000;
    const placed = await connect().place({ order, clientOrderId, sendBeforeMs, halted: () => false });
    assert.equal(placed.kind, outcome, inspect(placed));

    // A limiter of its own: what the fault told the first client must not hide what the exchange has.
    const later = connect();
    assert.equal((await later.findOrder(SYMBOL, { clientOrderId })).kind, orders === 1 ? 'found' : 'absent');
    assert.equal((await later.recentOrders(SYMBOL)).length, orders);

    const requests = logged.parse(await (await fetch(`${paper.controlUrl}/log`)).json());
    for (const { path, headers, params } of requests) {
      const signed = params.includes('signature');
      assert.equal(
        headers.some((header) => header.toLowerCase() === 'x-mbx-apikey'),
        signed,
        path,
      );
      assert.ok(!/withdraw|transfer|sapi/.test(path), path);
    }
  });
}
