import assert from 'node:assert/strict';
import test from 'node:test';
import { formatDecimal, ZERO } from '#core/amount/decimal.ts';
import { ExchangeError } from '#exchange/errors.ts';
import { parseOrder, parseOrders, parsePlacement, parseTrades } from './orders.ts';

const queried = {
  symbol: 'BTCUSDT',
  orderId: 28,
  orderListId: -1,
  clientOrderId: 'tw1-0123456789abc-e1',
  price: '10.00000000',
  origQty: '1.00000000',
  executedQty: '0.50000000',
  cummulativeQuoteQty: '5.00000000',
  status: 'PARTIALLY_FILLED',
  timeInForce: 'GTC',
  type: 'LIMIT',
  side: 'BUY',
  stopPrice: '0.00000000',
  icebergQty: '0.00000000',
  time: 1499827319559,
  updateTime: 1499827319560,
  isWorking: true,
};

test('an order keeps every decimal and has the time of its last change', () => {
  const order = parseOrder({ ...queried, orderId: '9007199254740993', executedQty: '0.123456789012345678' });
  assert.equal(order.exchangeOrderId, '9007199254740993');
  assert.equal(formatDecimal(order.filledQuantity), '0.123456789012345678');
  assert.deepEqual(order.updatedAt, new Date(1499827319560));
  assert.equal(order.side, 'buy');
});

test('states of the exchange map to those of the product', () => {
  const cases = [
    ['NEW', 'open'],
    ['PENDING_NEW', 'open'],
    ['PENDING_CANCEL', 'open'],
    ['PARTIALLY_FILLED', 'partially-filled'],
    ['FILLED', 'filled'],
    ['CANCELED', 'cancelled'],
    ['EXPIRED', 'expired'],
    ['EXPIRED_IN_MATCH', 'expired'],
    ['REJECTED', 'rejected'],
  ] as const;
  for (const [status, state] of cases) assert.equal(parseOrder({ ...queried, status }).state, state);
});

test('a cancelled order keeps its own id, in the reply to the cancel and in later queries', () => {
  const reply = {
    ...queried,
    status: 'CANCELED',
    origClientOrderId: queried.clientOrderId,
    clientOrderId: 'any-cancel',
  };
  assert.equal(parseOrder(reply).clientOrderId, queried.clientOrderId);
  assert.equal(
    parseOrder({ ...queried, clientOrderId: 'tw1-0123456789abc-e1-c' }).clientOrderId,
    queried.clientOrderId,
  );
  assert.equal(parseOrder({ ...queried, clientOrderId: 'somebody-c' }).clientOrderId, 'somebody-c');
});

test('the fills of a placement carry what the reply leaves out', () => {
  const { order, fills } = parsePlacement({
    symbol: 'BTCUSDT',
    orderId: 28,
    clientOrderId: 'tw1-0123456789abc-e1',
    transactTime: 1507725176595,
    price: '0.00000000',
    origQty: '10.00000000',
    executedQty: '10.00000000',
    cummulativeQuoteQty: '10.00000000',
    status: 'FILLED',
    type: 'MARKET',
    side: 'SELL',
    fills: [
      { price: '4000.12345678', qty: '0.33333333', commission: '0.4', commissionAsset: 'BNB', tradeId: 56 },
      { price: '3999.00000000', qty: '5.00000000', commission: '19.995', commissionAsset: 'USDT', tradeId: 57 },
    ],
  });
  assert.equal(order.state, 'filled');
  assert.equal(order.stopPrice, 0n);
  const [first, second] = fills;
  assert.deepEqual(
    {
      ...first,
      price: null,
      quantity: null,
      feeAmount: null,
      quoteQuantity: formatDecimal(first?.quoteQuantity ?? ZERO),
    },
    {
      symbol: 'BTCUSDT',
      tradeId: '56',
      exchangeOrderId: '28',
      side: 'sell',
      price: null,
      quantity: null,
      // 4000.12345678 x 0.33333333 = 1333.3744722596259474, cut to the 8 decimals of the quote asset
      quoteQuantity: '1333.37447225',
      feeAmount: null,
      feeAsset: 'BNB',
      maker: false,
      at: new Date(1507725176595),
    },
  );
  assert.equal(second?.feeAsset, 'USDT');
});

test('trades of the account are executions', () => {
  const [fill] = parseTrades([
    {
      symbol: 'BNBBTC',
      id: 28457,
      orderId: 100234,
      orderListId: -1,
      price: '4.00000100',
      qty: '12.00000000',
      quoteQty: '48.000012',
      commission: '10.10000000',
      commissionAsset: 'BNB',
      time: 1499865549590,
      isBuyer: true,
      isMaker: true,
      isBestMatch: true,
    },
  ]);
  assert.equal(fill?.side, 'buy');
  assert.equal(fill?.maker, true);
  assert.equal(fill?.exchangeOrderId, '100234');
  assert.equal(formatDecimal(fill?.quoteQuantity ?? ZERO), '48.000012');
});

test('a body that is not an order is unreadable, with the field named', () => {
  const bad: readonly unknown[] = [
    {},
    null,
    '<html>',
    [],
    { ...queried, executedQty: '1e-7' },
    { ...queried, executedQty: 1 },
    { ...queried, executedQty: '-0.5' },
    { ...queried, executedQty: '1.00000001' },
    { ...queried, status: 'NEWISH' },
    { ...queried, side: 'HOLD' },
    { ...queried, updateTime: undefined, time: undefined },
  ];
  for (const body of bad) {
    assert.throws(
      () => parseOrder(body),
      (error) => error instanceof ExchangeError && error.reason === 'unreadable',
    );
  }
});

test('an order in an odd form is listed apart, with its cause, and the others of the list are parsed', () => {
  const odd = [{ ...queried, origQty: 'x' }, { ...queried, status: 'A_STATUS_OF_THE_FUTURE' }, { orderId: true }, null];
  const { orders, unread } = parseOrders([...odd, queried]);
  assert.deepEqual(orders, [parseOrder(queried)]);
  const { symbol, clientOrderId } = queried;
  const known = { symbol, clientOrderId, exchangeOrderId: '28' };
  const nothing = { symbol: null, clientOrderId: null, exchangeOrderId: null };
  assert.deepEqual(
    unread.map(({ cause: _, ...marks }) => marks),
    [known, known, nothing, nothing],
  );
  assert.match(unread[0]?.cause ?? '', /at origQty: "x" is not a decimal number/);
  assert.throws(() => parseOrders({}), /a list of orders/);
});

test('an order that another program placed without a client id can be read', () => {
  const { orders } = parseOrders([{ ...queried, clientOrderId: null }]);
  assert.equal(orders[0]?.clientOrderId, '');
});
