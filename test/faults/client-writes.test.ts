import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { add, formatDecimal, requireDecimal } from '#core/amount/decimal.ts';
import { cancelIdOf } from '#core/order/order.ts';
import type { ListRequest, PlaceRequest, ReplaceOutcome, TradingPort, WriteOutcome } from '#core/ports/exchange.ts';
import { openHands } from '#test/flow/outside.ts';
import { type ClientBench, openClient, SYMBOL } from './client-bench.ts';

/* Writes whose outcome depends on the state of the order, on the paper exchange. */

let on: ClientBench;
let trading: TradingPort;
let firstPrice: string;
before(async () => {
  on = await openClient(['a']);
  firstPrice = formatDecimal(await on.market.price(SYMBOL));
});
after(() => on[Symbol.asyncDispose]());
beforeEach(async () => {
  await on.control('DELETE /faults');
  trading = on.connect('a');
  // An older order would take the trade that is meant for a later one.
  const { orders } = await trading.openOrders(SYMBOL);
  for (const { clientOrderId } of orders) await trading.cancel(SYMBOL, clientOrderId, cancelIdOf(clientOrderId));
  // Trades of the tests move the price far away from the next trade of the market, which would trigger a stop there.
  await on.control('POST /trade', { symbol: SYMBOL, price: firstPrice, quantity: '0.0005' });
  await on.control('DELETE /log');
});

type Match = Readonly<{ method: string; path: string }>;
const PLACE: Match = { method: 'POST', path: '/api/v3/order' };
const QUERY: Match = { method: 'GET', path: '/api/v3/order' };
const TRADES: Match = { method: 'GET', path: '/api/v3/myTrades' };
const REPLACE: Match = { method: 'POST', path: '/api/v3/order/cancelReplace' };
/** The next request gets this answer and is not executed. */
const answerOnce = (match: Match, status: number, body: unknown, more = {}) =>
  on.control('POST /faults', [{ match, kind: 'fail-before', status, body, ...more }]);
const cutOnce = (match: Match) => on.control('POST /faults', [{ match, kind: 'reset' }]);
const failure = (code: number, msg: string) => ({ code, msg });
const ABSENT = failure(-2013, 'Order does not exist.');

async function accepted(request: PlaceRequest) {
  const outcome = await trading.place(request);
  assert.ok(
    outcome.kind === 'accepted',
    JSON.stringify(outcome, (_key, value) => String(value)),
  );
  return outcome;
}
const resting = async (): Promise<PlaceRequest> => {
  const request = await on.requestOf('0.9');
  await accepted(request);
  return request;
};
/** A resting order of which a part has filled. */
async function partlyFilled(): Promise<PlaceRequest> {
  const request = await resting();
  const { form } = request.order;
  const price = form.type === 'limit' ? formatDecimal(form.price) : '';
  await on.control('POST /trade', { symbol: SYMBOL, price, quantity: '0.0005' });
  return request;
}
const cancel = ({ clientOrderId }: PlaceRequest): Promise<WriteOutcome> =>
  trading.cancel(SYMBOL, clientOrderId, cancelIdOf(clientOrderId));
const replace = (old: PlaceRequest, next: PlaceRequest, by = trading): Promise<ReplaceOutcome> => {
  const { clientOrderId } = old;
  return by.cancelReplace({ ...next, cancelClientOrderId: clientOrderId, cancelId: cancelIdOf(clientOrderId) });
};
const kinds = ({ cancelled, placed }: ReplaceOutcome): string => `${cancelled.kind}, ${placed.kind}`;

test('nothing is sent after its time or under a halt; the last moment is in time', async () => {
  const nowMs = on.market.clock.protocolMs();
  trading = on.connect('a', { clock: { ...on.market.clock, protocolMs: () => nowMs } });
  const request = { ...(await on.requestOf('0.9')), sendBeforeMs: nowMs };
  await on.control('DELETE /log');
  for (const [changes, reason] of [
    [{ sendBeforeMs: nowMs - 1 }, 'not-sent-in-time'],
    [{ halted: () => true }, 'halted'],
  ] as const) {
    const notSent = { kind: 'not-sent', reason };
    assert.deepEqual(await trading.place({ ...request, ...changes }), notSent);
    const both = { cancelled: notSent, placed: notSent };
    assert.deepEqual(await replace(request, { ...request, ...changes }), both);
  }
  assert.deepEqual(await on.log(), []);
  await accepted(request);
});

test('an order that is too late once the clock is set is not sent again', async () => {
  let offMs = -60_000;
  const { clock } = on.market;
  const protocolMs = (): number => clock.protocolMs() + offMs;
  trading = on.connect('a', { clock: { ...clock, protocolMs, sync: async () => void (offMs = 0) } });
  const request = { ...(await on.requestOf('0.9')), sendBeforeMs: protocolMs() + 2_000 };
  await on.control('DELETE /log');
  assert.deepEqual(await trading.place(request), { kind: 'not-sent', reason: 'not-sent-in-time' });
  assert.deepEqual(
    (await on.log()).map(({ method, path }) => `${method} ${path}`),
    ['POST /api/v3/order'],
  );
});

test('"Duplicate order sent." adopts the order that arrived first, with its executions', async () => {
  const request = await partlyFilled();
  const { order, fills } = await accepted(request);
  assert.equal(order.state, 'partially-filled');
  assert.deepEqual(fills, await trading.fillsOf(SYMBOL, order.exchangeOrderId));
});

test('a duplicate whose order or executions cannot be read yet stays unknown', async () => {
  const request = await partlyFilled();
  await answerOnce(QUERY, 400, ABSENT, { times: 2 });
  assert.equal((await trading.place(request)).kind, 'unknown');
  await cutOnce(QUERY);
  assert.equal((await trading.place(request)).kind, 'unknown');
  await cutOnce(TRADES);
  assert.equal((await trading.place(request)).kind, 'unknown');
});

test('an answer about another order says nothing about this one', async () => {
  const { order } = await accepted(await on.requestOf({}));
  const text = { orderId: Number(order.exchangeOrderId), price: '0', origQty: '1', executedQty: '0', status: 'NEW' };
  const other = { ...text, cummulativeQuoteQty: '0', type: 'MARKET', side: 'BUY', transactTime: 1, updateTime: 1 };
  const request = await on.requestOf('0.9');
  const { clientOrderId } = request;
  for (const body of [
    { ...other, symbol: SYMBOL, clientOrderId: 'another' },
    { ...other, symbol: 'ETHUSDT', clientOrderId },
  ]) {
    await answerOnce(PLACE, 200, body);
    assert.equal((await trading.place(request)).kind, 'unknown');
    await answerOnce(QUERY, 200, body);
    assert.equal((await trading.findOrder(SYMBOL, { clientOrderId })).kind, 'unreadable');
  }
});

test('a closed market is told from other refusals', async () => {
  const doubtsOf = (outcome: WriteOutcome) => (outcome.kind === 'rejected' ? outcome.doubts : outcome.kind);
  await answerOnce(PLACE, 400, failure(-2010, 'Market is closed.'));
  assert.equal(doubtsOf(await trading.place(await on.requestOf('0.9'))), 'rules');
  const tooMuch = await on.requestOf({ quantity: requireDecimal('5') });
  assert.equal(doubtsOf(await trading.place(tooMuch)), undefined);
});

test('a partly filled order is cancelled with its executions, under its own id', async () => {
  const request = await partlyFilled();
  const outcome = await cancel(request);
  assert.ok(outcome.kind === 'accepted');
  assert.deepEqual([outcome.order.clientOrderId, outcome.order.state], [request.clientOrderId, 'cancelled']);
  assert.ok(outcome.fills.length > 0);
  assert.equal(outcome.fills.map(({ quantity }) => quantity).reduce(add), outcome.order.filledQuantity);
});

test('a refused cancel returns the state of the order, and is unknown when that cannot be read', async () => {
  const request = await on.requestOf({});
  const { fills } = await accepted(request);
  const outcome = await cancel(request);
  assert.ok(outcome.kind === 'accepted' && outcome.order.state === 'filled');
  assert.deepEqual(outcome.fills, fills);
  await cutOnce(QUERY);
  assert.equal((await cancel(request)).kind, 'unknown');
});

test('a cancel that ends a whole order list reports the order it named', async () => {
  const hands = openHands(on.paper.url, on.keyOf('a'));
  const [above, below, limit] = [await hands.at('1.1'), await hands.at('0.9'), await hands.at('0.89')];
  const legs = { aboveType: 'LIMIT_MAKER', abovePrice: above, belowType: 'STOP_LOSS_LIMIT', belowStopPrice: below };
  const list = { symbol: SYMBOL, side: 'SELL', quantity: '0.002', belowPrice: limit, belowTimeInForce: 'GTC' };
  await hands.send('orderList/oco', { ...list, ...legs, aboveClientOrderId: 'above', belowClientOrderId: 'below' });
  const outcome = await trading.cancel(SYMBOL, 'below', 'below-c');
  assert.ok(outcome.kind === 'accepted');
  assert.deepEqual([outcome.order.clientOrderId, outcome.order.state], ['below', 'cancelled']);
  assert.notEqual(outcome.order.listId, null);
  const { orders } = await trading.openOrders(SYMBOL);
  assert.ok(orders.every(({ clientOrderId }) => clientOrderId !== 'above'));
});

test('executions are read page by page', async () => {
  const { order, fills } = await accepted(await on.requestOf({}));
  const [fill] = fills;
  assert.ok(fill !== undefined);
  const row = (id: number) => ({
    ...{ symbol: SYMBOL, id, orderId: Number(order.exchangeOrderId), price: '10', qty: '2', quoteQty: '20', time: 1 },
    ...{ commission: '0', commissionAsset: 'BTC', isBuyer: true, isMaker: false },
  });
  const page = (text: string, rows: unknown) => ({
    match: { ...TRADES, text },
    kind: 'fail-before',
    status: 200,
    body: rows,
  });
  await on.control('POST /faults', [
    page('fromId=1000', [row(1_000)]),
    page(
      '',
      Array.from({ length: 1_000 }, (_, id) => row(id)),
    ),
  ]);
  assert.equal((await trading.fillsOf(SYMBOL, order.exchangeOrderId)).length, 1_001);
});

test('a replaced order that is gone is reported, also when the new one is refused', async () => {
  const old = await resting();
  const outcome = await replace(old, await on.requestOf({ quantity: requireDecimal('5') }));
  assert.equal(kinds(outcome), 'accepted, rejected');
  assert.ok(outcome.placed.kind === 'rejected');
  assert.deepEqual([outcome.placed.code, await on.stateOf(trading, old.clientOrderId)], [-2010, 'cancelled']);
});

test('an old order that had filled already is found, and nothing new is placed', async () => {
  const old = await on.requestOf({});
  const { fills } = await accepted(old);
  const next = await on.requestOf('0.89');
  const outcome = await replace(old, next);
  assert.equal(kinds(outcome), 'accepted, not-attempted');
  assert.ok(outcome.cancelled.kind === 'accepted' && outcome.cancelled.order.state === 'filled');
  assert.deepEqual(outcome.cancelled.fills, fills);
  assert.equal(await on.stateOf(trading, next.clientOrderId), 'absent');
});

test('an old order that does not exist is refused; one that cannot be read is unknown', async () => {
  const [never, next] = [await on.requestOf('0.9'), await on.requestOf('0.89')];
  assert.equal(kinds(await replace(never, next)), 'rejected, not-attempted');
  await cutOnce(QUERY);
  assert.equal(kinds(await replace(never, next)), 'unknown, not-attempted');
});

test('an old order that has filled in part is not replaced', async () => {
  const old = await partlyFilled();
  const next = await on.requestOf('0.89');
  const outcome = await replace(old, next);
  assert.equal(outcome.placed.kind, 'not-attempted');
  assert.deepEqual(
    [await on.stateOf(trading, old.clientOrderId), await on.stateOf(trading, next.clientOrderId)],
    ['partially-filled', 'absent'],
  );
});

test('an earlier copy of the new order is adopted', async () => {
  const [old, next] = [await resting(), await resting()];
  const outcome = await replace(old, next);
  assert.equal(kinds(outcome), 'accepted, accepted');
  assert.equal(await on.stateOf(trading, next.clientOrderId), 'open');
});

test('a half whose own outcome is open is unknown, and so are both without a readable answer', async () => {
  const old = await resting();
  const { order } = await accepted(await on.requestOf('0.8'));
  const gone = {
    ...{ symbol: SYMBOL, orderId: 1, clientOrderId: cancelIdOf(old.clientOrderId), transactTime: 1, price: '9' },
    ...{ origQty: '2', executedQty: '0', cummulativeQuoteQty: '0', status: 'CANCELED', type: 'LIMIT', side: 'BUY' },
    origClientOrderId: old.clientOrderId,
  };
  const halves = (newOrderResult: string, newOrderResponse: unknown) => ({
    ...{ cancelResult: 'SUCCESS', cancelResponse: gone, newOrderResult, newOrderResponse },
  });
  const partly = (response: unknown) => ({ ...failure(-2021, 'no'), data: halves('FAILURE', response) });
  const another = { ...gone, clientOrderId: order.clientOrderId, status: 'NEW' };
  for (const [status, body, expected] of [
    [429, partly(failure(-1015, 'Too many new orders.')), 'accepted, rejected'],
    [409, partly(failure(-1007, 'Timeout waiting for response from backend server.')), 'accepted, unknown'],
    [409, partly(null), 'accepted, unknown'],
    [200, halves('SUCCESS', another), 'accepted, unknown'],
    [409, failure(-2021, 'Order cancel-replace partially failed.'), 'unknown, unknown'],
  ] as const) {
    await answerOnce(REPLACE, status, body);
    const outcome = await replace(old, await on.requestOf('0.89'), on.connect('a'));
    assert.equal(kinds(outcome), expected, JSON.stringify(body));
  }
});

const legsOf = ({ stop, target }: ListRequest): string[] => [stop.clientOrderId, target.clientOrderId];
const cancelList = (list: ListRequest): Promise<readonly WriteOutcome[]> =>
  trading.cancelList({ symbol: SYMBOL, listId: list.listId, legs: legsOf(list) });
const states = (outcomes: readonly WriteOutcome[]): string[] =>
  outcomes.map((outcome) => (outcome.kind === 'accepted' ? outcome.order.state : outcome.kind));
/** A list whose target has sold a part. */
async function partlySold(): Promise<ListRequest> {
  const list = await on.listOf();
  assert.deepEqual(states(await trading.placeList(list)), ['open', 'open']);
  const { form } = list.target.order;
  const price = form.type === 'limit' ? formatDecimal(form.price) : '';
  await on.control('POST /trade', { symbol: SYMBOL, price, quantity: '0.0005' });
  return list;
}

test('a list is placed with both legs, and cancelled with both', async () => {
  const list = await on.listOf();
  assert.deepEqual(states(await trading.placeList(list)), ['open', 'open']);
  const { orders } = await trading.openOrders(SYMBOL);
  assert.deepEqual(orders.map(({ clientOrderId }) => clientOrderId).toSorted(), legsOf(list).toSorted());
  assert.ok(orders.every(({ listId }) => listId !== undefined));
  assert.deepEqual(states(await cancelList(list)), ['cancelled', 'cancelled']);
  const recent = (await trading.recentOrders(SYMBOL)).orders.slice(-2);
  assert.deepEqual(recent.map(({ clientOrderId }) => clientOrderId).toSorted(), legsOf(list).toSorted());
});

test('the cancel of a list whose target has sold a part reports the end of each leg', async () => {
  const list = await partlySold();
  const [stop, target] = await cancelList(list);
  assert.ok(stop?.kind === 'accepted' && target?.kind === 'accepted');
  assert.equal(stop.order.state, 'expired');
  assert.deepEqual([target.order.state, formatDecimal(target.order.filledQuantity)], ['cancelled', '0.0005']);
  assert.equal(target.fills.length, 1);
});

test('a list that arrived earlier is adopted leg by leg', async () => {
  const list = await partlySold();
  const [stop, target] = await trading.placeList(list);
  assert.deepEqual(states([stop, target]), ['expired', 'partially-filled']);
  assert.ok(target.kind === 'accepted' && target.fills.length === 1);
  await cancelList(list);
});

test('the cancel of a list that has ended reports how its legs ended', async () => {
  const list = await partlySold();
  await cancelList(list);
  assert.deepEqual(states(await cancelList(list)), ['expired', 'rejected']);
});

test('a reply that lacks a leg leaves both legs unknown', async () => {
  const list = await on.listOf();
  await answerOnce({ method: 'POST', path: '/api/v3/orderList/oco' }, 200, { orderReports: [] });
  assert.deepEqual(states(await trading.placeList(list)), ['unknown', 'unknown']);
});
