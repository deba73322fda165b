import assert from 'node:assert/strict';
import test from 'node:test';
import { formatDecimal } from '#core/amount/decimal.ts';
import { readUserEvent } from './user-events.ts';

const AT = new Date(5);
const report = {
  e: 'executionReport',
  E: 1499405658658,
  s: 'ETHBTC',
  c: 'tw1-0123456789abc-e1',
  S: 'BUY',
  o: 'LIMIT',
  f: 'GTC',
  q: '1.00000000',
  p: '0.10264410',
  P: '0.00000000',
  F: '0.00000000',
  g: -1,
  C: '',
  x: 'NEW',
  X: 'NEW',
  r: 'NONE',
  i: 4293153,
  l: '0.00000000',
  z: '0.00000000',
  L: '0.00000000',
  n: '0',
  N: null,
  T: 1499405658657,
  t: -1,
  I: 8641984,
  w: true,
  m: false,
  M: false,
  O: 1499405658657,
  Z: '0.00000000',
  Y: '0.00000000',
  Q: '0.00000000',
};

function orderEvent(extra: object) {
  const frame = readUserEvent({ ...report, ...extra }, AT);
  assert.ok(frame.kind === 'event' && frame.event.kind === 'order', frame.kind);
  return frame.event;
}

test('a new order has no fill', () => {
  const { order, fill, reason } = orderEvent({});
  assert.equal(fill, null);
  assert.equal(reason, '');
  assert.equal(order.state, 'open');
  assert.equal(order.clientOrderId, 'tw1-0123456789abc-e1');
  assert.deepEqual(order.updatedAt, new Date(1499405658657));
});

test('a trade carries cumulative amounts in the order and its own in the fill', () => {
  const { order, fill } = orderEvent({
    x: 'TRADE',
    X: 'PARTIALLY_FILLED',
    l: '0.25000000',
    z: '0.75000000',
    L: '0.10264400',
    Y: '0.02566100',
    Z: '0.07698300',
    n: '0.00025000',
    N: 'ETH',
    t: 77,
    m: true,
  });
  assert.equal(order.state, 'partially-filled');
  assert.equal(formatDecimal(order.filledQuantity), '0.75');
  assert.equal(formatDecimal(order.filledQuote), '0.076983');
  assert.ok(fill !== null);
  assert.deepEqual(
    [fill.tradeId, formatDecimal(fill.quantity), formatDecimal(fill.quoteQuantity), fill.feeAsset, fill.maker],
    ['77', '0.25', '0.025661', 'ETH', true],
  );
});

test('a cancel is reported under the id of the order', () => {
  const cancelled = { x: 'CANCELED', X: 'CANCELED', c: 'tw1-0123456789abc-e1-c', C: 'tw1-0123456789abc-e1' };
  assert.equal(orderEvent(cancelled).order.clientOrderId, 'tw1-0123456789abc-e1');
  assert.equal(orderEvent({ ...cancelled, c: 'by-another-tool' }).order.clientOrderId, 'tw1-0123456789abc-e1');
  for (const original of ['', null])
    assert.equal(orderEvent({ ...cancelled, C: original }).order.clientOrderId, 'tw1-0123456789abc-e1');
});

test('reasons of expiry and refusal', () => {
  assert.equal(
    orderEvent({ x: 'EXPIRED', X: 'EXPIRED', eR: 'INSUFFICIENT_LIQUIDITY' }).reason,
    'INSUFFICIENT_LIQUIDITY',
  );
  assert.equal(
    orderEvent({ x: 'REJECTED', X: 'REJECTED', r: 'INSUFFICIENT_BALANCES' }).reason,
    'INSUFFICIENT_BALANCES',
  );
});

test('a prevented self-trade and a trade of nothing are no fills', () => {
  assert.equal(orderEvent({ x: 'TRADE', X: 'NEW', t: 5 }).fill, null);
  const prevented = orderEvent({ x: 'TRADE_PREVENTION', X: 'EXPIRED_IN_MATCH' });
  assert.equal(prevented.fill, null);
  assert.deepEqual([prevented.order.state, prevented.order.selfTradePrevented], ['expired', true]);
});

test('balances', () => {
  const frame = readUserEvent(
    { e: 'outboundAccountPosition', E: 1, u: 2, B: [{ a: 'ETH', f: '10000.000000', l: '0.100000' }] },
    AT,
  );
  assert.deepEqual(frame, {
    kind: 'balances',
    updatedMs: 2,
    event: { kind: 'balances', balances: { ETH: { free: '10000', locked: '0.1' } }, at: AT },
  });
});

test('unknown events pass by; broken order and balance events do not', () => {
  assert.deepEqual(readUserEvent({ e: 'listStatus', E: 1 }, AT), { kind: 'other' });
  assert.deepEqual(readUserEvent(null, AT), { kind: 'other' });
  assert.deepEqual(readUserEvent({ e: 'eventStreamTerminated', E: 1 }, AT), { kind: 'terminated' });
  assert.deepEqual(readUserEvent({ e: 'serverShutdown', E: 1 }, AT), { kind: 'shutdown' });
  assert.deepEqual(readUserEvent({ ...report, X: 'NEWISH' }, AT), { kind: 'unreadable' });
  assert.deepEqual(readUserEvent({ e: 'outboundAccountPosition', B: [{ a: 'ETH' }] }, AT), { kind: 'unreadable' });
});
