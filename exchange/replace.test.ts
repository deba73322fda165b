import assert from 'node:assert/strict';
import test from 'node:test';
import { formatDecimal, requireDecimal } from '#core/amount/decimal.ts';
import type { ExchangeClock, ReplaceOutcome, ReplaceRequest } from '#core/ports/exchange.ts';
import { orderOf } from '#test/exchange/orders.ts';
import { type Reaction, type Received, startScriptedServer } from '#test/exchange/scripted-server.ts';
import { createRateLimiter } from './limits.ts';
import { createTrading } from './place.ts';

const OLD = 'tw1-0123456789abc-s1';
const ID = 'tw1-0123456789abc-s2';
const NOW = 1_700_000_000_000;
const clock: ExchangeClock = {
  protocolMs: () => NOW,
  marketMs: () => NOW,
  marketSpeed: () => 1,
  sync: async () => undefined,
};

const order = (clientOrderId: string, status: string, executedQty = '0') => ({
  symbol: 'BTCUSDT',
  orderId: clientOrderId === OLD ? 28 : 29,
  clientOrderId,
  transactTime: NOW,
  price: '9',
  stopPrice: '10',
  origQty: '2',
  executedQty,
  cummulativeQuoteQty: executedQty === '0' ? '0' : '20',
  status,
  type: 'STOP_LOSS_LIMIT',
  side: 'SELL',
});
const cancelled = { ...order(`${OLD}-c`, 'CANCELED'), orderId: 28, origClientOrderId: OLD };
const halves = (cancelResult: string, newOrderResult: string, responses: readonly [unknown, unknown]) => ({
  cancelResult,
  newOrderResult,
  cancelResponse: responses[0],
  newOrderResponse: responses[1],
});
const UNKNOWN_ORDER = { code: -2011, msg: 'Unknown order sent.' };
const FILTER = { code: -1013, msg: 'Filter failure: NOTIONAL' };
const failed = (status: number, code: number, data: object): Reaction => ({ status, body: { code, msg: 'no', data } });

interface Replaced {
  readonly outcome: ReplaceOutcome;
  readonly requests: readonly Received[];
}

/** `lookup` answers every other request. */
async function replace(
  reaction: Reaction,
  lookup: Reaction = { status: 400, body: { code: -2013, msg: 'Order does not exist.' } },
  extra: Partial<ReplaceRequest> = {},
): Promise<Replaced> {
  await using server = await startScriptedServer(({ path }) => (path.endsWith('/cancelReplace') ? reaction : lookup));
  const credentials = { apiKey: 'the-api-key', secret: 'the-secret' };
  const trading = createTrading({ restUrl: server.url, ...credentials, clock, limiter: createRateLimiter() });
  const form = { type: 'stop-loss-limit', stopPrice: requireDecimal('10'), price: requireDecimal('9') } as const;
  const outcome = await trading.cancelReplace({
    order: orderOf({ side: 'sell', purpose: 'stop', form, quantity: requireDecimal('2') }),
    clientOrderId: ID,
    cancelClientOrderId: OLD,
    cancelId: `${OLD}-c`,
    sendBeforeMs: NOW + 2_000,
    halted: () => false,
    ...extra,
  });
  return { outcome, requests: server.requests };
}

const kinds = ({ cancelled: old, placed }: ReplaceOutcome): string => `${old.kind}, ${placed.kind}`;

test('both halves take effect in one signed request', async () => {
  const body = halves('SUCCESS', 'SUCCESS', [cancelled, order(ID, 'NEW')]);
  const { outcome, requests } = await replace({ body });
  assert.equal(kinds(outcome), 'accepted, accepted');
  assert.ok(outcome.cancelled.kind === 'accepted' && outcome.placed.kind === 'accepted');
  assert.deepEqual([outcome.cancelled.order.clientOrderId, outcome.cancelled.order.state], [OLD, 'cancelled']);
  assert.deepEqual([outcome.placed.order.clientOrderId, outcome.placed.order.state], [ID, 'open']);
  const [request] = requests;
  assert.equal(requests.length, 1);
  assert.deepEqual([request?.method, request?.path], ['POST', '/api/v3/order/cancelReplace']);
  const { signature: _signature, timestamp: _timestamp, recvWindow: _window, ...sent } = request?.query ?? {};
  assert.deepEqual(sent, {
    symbol: 'BTCUSDT',
    side: 'SELL',
    type: 'STOP_LOSS_LIMIT',
    timeInForce: 'GTC',
    quantity: '2',
    price: '9',
    stopPrice: '10',
    newClientOrderId: ID,
    newOrderRespType: 'FULL',
    cancelReplaceMode: 'STOP_ON_FAILURE',
    cancelRestrictions: 'ONLY_NEW',
    cancelOrigClientOrderId: OLD,
    cancelNewClientOrderId: `${OLD}-c`,
  });
});

test('the old order is gone and the new one refused: the outcome shows that no stop is left', async () => {
  const { outcome } = await replace(failed(409, -2021, halves('SUCCESS', 'FAILURE', [cancelled, FILTER])));
  assert.equal(kinds(outcome), 'accepted, rejected');
  assert.ok(outcome.placed.kind === 'rejected');
  assert.deepEqual([outcome.placed.code, outcome.placed.message], [FILTER.code, FILTER.msg]);
});

test('an old order that had filled already is found, and nothing new was placed', async () => {
  const data = halves('FAILURE', 'NOT_ATTEMPTED', [UNKNOWN_ORDER, null]);
  const trade = { symbol: 'BTCUSDT', id: 7, orderId: 28, price: '10', qty: '2', quoteQty: '20', time: NOW };
  const fee = { commission: '0.02', commissionAsset: 'USDT', isBuyer: false, isMaker: true };
  await using server = await startScriptedServer(({ path }) => {
    if (path.endsWith('/cancelReplace')) return failed(400, -2022, data);
    return path.endsWith('/myTrades') ? { body: [{ ...trade, ...fee }] } : { body: order(OLD, 'FILLED', '2') };
  });
  const credentials = { apiKey: 'the-api-key', secret: 'the-secret' };
  const trading = createTrading({ restUrl: server.url, ...credentials, clock, limiter: createRateLimiter() });
  const outcome = await trading.cancelReplace({
    order: orderOf({ side: 'sell', purpose: 'stop' }),
    clientOrderId: ID,
    cancelClientOrderId: OLD,
    cancelId: `${OLD}-c`,
    sendBeforeMs: NOW,
    halted: () => false,
  });
  assert.equal(kinds(outcome), 'accepted, not-attempted');
  assert.ok(outcome.cancelled.kind === 'accepted');
  assert.equal(outcome.cancelled.order.state, 'filled');
  assert.deepEqual(
    outcome.cancelled.fills.map(({ quantity }) => formatDecimal(quantity)),
    ['2'],
  );
});

test('an old order that does not exist is refused; one that cannot be read is unknown', async () => {
  const reaction = failed(400, -2022, halves('FAILURE', 'NOT_ATTEMPTED', [UNKNOWN_ORDER, null]));
  assert.equal(kinds((await replace(reaction)).outcome), 'rejected, not-attempted');
  assert.equal(kinds((await replace(reaction, 'reset')).outcome), 'unknown, not-attempted');
});

test('a refusal before the cancel leaves the old order as it is', async () => {
  for (const reaction of [
    { status: 400, body: FILTER },
    { status: 429, body: { code: -1015, msg: 'Too many new orders; current limit is 100 orders per 10 SECOND.' } },
    { status: 401, body: { code: -2015, msg: 'Invalid API-key, IP, or permissions for action.' } },
  ]) {
    assert.equal(kinds((await replace(reaction)).outcome), 'rejected, not-attempted', JSON.stringify(reaction));
  }
});

test('too many orders after the cancel: the data of the 429 are read', async () => {
  const tooMany = { code: -1015, msg: 'Too many new orders.' };
  const { outcome } = await replace(failed(429, -2021, halves('SUCCESS', 'FAILURE', [cancelled, tooMany])));
  assert.equal(kinds(outcome), 'accepted, rejected');
});

test('a half whose own outcome is open is unknown, and so are both without a readable reply', async () => {
  const open = { code: -1007, msg: 'Timeout waiting for response from backend server.' };
  const half = await replace(failed(409, -2021, halves('SUCCESS', 'FAILURE', [cancelled, open])));
  assert.equal(kinds(half.outcome), 'accepted, unknown');
  const silent = await replace(failed(409, -2021, halves('SUCCESS', 'FAILURE', [cancelled, null])));
  assert.equal(kinds(silent.outcome), 'accepted, unknown');
  const strange = await replace({ body: halves('SUCCESS', 'SUCCESS', [cancelled, order('another', 'NEW')]) });
  assert.equal(kinds(strange.outcome), 'accepted, unknown');
  for (const reaction of [
    'reset',
    { status: 502, body: '<html>502</html>' },
    { body: '<html>200</html>' },
    { body: {} },
    { status: 504, body: open },
    { status: 409, body: { code: -2021, msg: 'Order cancel-replace partially failed.' } },
  ] as const) {
    assert.equal(kinds((await replace(reaction)).outcome), 'unknown, unknown', JSON.stringify(reaction));
  }
});

test('an earlier copy of the new order is adopted', async () => {
  const duplicate = { code: -2010, msg: 'Duplicate order sent.' };
  const reaction = failed(409, -2021, halves('SUCCESS', 'FAILURE', [cancelled, duplicate]));
  const { outcome } = await replace(reaction, { body: order(ID, 'NEW') });
  assert.equal(kinds(outcome), 'accepted, accepted');
});

test('nothing is signed after its time or under a halt', async () => {
  for (const [extra, reason] of [
    [{ sendBeforeMs: NOW - 1 }, 'not-sent-in-time'],
    [{ halted: () => true }, 'halted'],
  ] as const) {
    const { outcome, requests } = await replace({ body: {} }, undefined, extra);
    const half = { kind: 'not-sent', reason };
    assert.deepEqual(outcome, { cancelled: half, placed: half });
    assert.equal(requests.length, 0);
  }
});
