import assert from 'node:assert/strict';
import { z } from 'zod';
import type { Operation, Params } from './operations.ts';
import { readOrder } from './raw-json.ts';
import { codeOf, isLacking, scenario, symbol, topOf } from './scenario.ts';
import type { ClientExchange } from './client-exchange.ts';
import type { FillSeen, OrderInput, StockClient } from './stock-client.ts';

type Top = { readonly bid: number; readonly ask: number };
/** `bid*0.95` as a price on the grid; away from the best one where the market makers show nothing and no queue is ahead. */
function priceAt(text: string, top: Top): string {
  const [side, factor] = text.split('*');
  const price = (side === 'bid' ? top.bid : top.ask) * Number(factor);
  return (Number(factor) === 1 ? price : Math.floor(price) + 0.37).toFixed(2);
}
const withPrices = <Input extends object>(input: Input, top: Top): Input => ({
  ...input,
  ...Object.fromEntries(
    Object.entries(input)
      .filter(([, value]) => /^(bid|ask)\*/.test(String(value)))
      .map(([name, value]) => [name, priceAt(String(value), top)]),
  ),
});
const place = async (client: StockClient, input: OrderInput) => client.place(withPrices(input, await topOf(client)));
/** The market trades at a price, so that orders there fill or fire. */
async function tradeAt(
  exchange: ClientExchange,
  price: string,
  { quantity = '1', top }: { quantity?: string; top: Top },
) {
  await exchange.control('POST /trade', { symbol, price: priceAt(price, top), quantity });
}
const stateOf = async (client: StockClient, id: string): Promise<unknown> => {
  const { status, executed } = await client.find(id);
  return [status, executed];
};
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const isNear = (a: number, b: number): boolean => Math.abs(a - b) < 1e-8;

const [BUY, SELL] = [
  { side: 'BUY', quantity: '0.001' },
  { side: 'SELL', quantity: '0.001' },
] as const;
/** How each type of order begins, and what of it is executed at once; what is open after that is cancelled. */
const ORDERS: readonly { readonly input: OrderInput; readonly status: string; readonly executed?: number }[] = [
  { input: { ...BUY, type: 'LIMIT', price: 'bid*0.95' }, status: 'NEW' },
  { input: { ...BUY, type: 'LIMIT', price: 'ask*1.01' }, status: 'FILLED', executed: 0.001 },
  { input: { ...BUY, type: 'LIMIT', timeInForce: 'IOC', price: 'bid*0.95' }, status: 'EXPIRED' },
  { input: { ...SELL, type: 'LIMIT', timeInForce: 'FOK', price: 'bid*0.99' }, status: 'FILLED', executed: 0.001 },
  { input: { ...BUY, type: 'LIMIT', timeInForce: 'FOK', quantity: '1', price: 'ask*1' }, status: 'EXPIRED' },
  { input: { ...SELL, type: 'MARKET', quantity: '0.002' }, status: 'FILLED', executed: 0.002 },
  { input: { ...SELL, type: 'LIMIT_MAKER', price: 'ask*1.01' }, status: 'NEW' },
  { input: { ...SELL, type: 'STOP_LOSS', stopPrice: 'bid*0.99' }, status: 'NEW' },
  { input: { ...BUY, type: 'STOP_LOSS_LIMIT', stopPrice: 'ask*1.01', price: 'ask*1.02' }, status: 'NEW' },
  { input: { ...SELL, type: 'TAKE_PROFIT', stopPrice: 'ask*1.01' }, status: 'NEW' },
  { input: { ...BUY, type: 'TAKE_PROFIT_LIMIT', stopPrice: 'bid*0.99', price: 'bid*0.985' }, status: 'NEW' },
  { input: { ...SELL, type: 'STOP_LOSS', trailingDelta: 100 }, status: 'NEW' },
  {
    input: { ...SELL, type: 'TAKE_PROFIT_LIMIT', trailingDelta: 50, stopPrice: 'ask*1.01', price: 'ask*1' },
    status: 'NEW',
  },
];

scenario(
  'every type of order is placed, found and cancelled',
  async ({ client }) => {
    for (const { input, status, executed = 0 } of ORDERS) {
      const name = JSON.stringify(input);
      const placed = await place(client, input);
      assert.deepEqual([placed.side, placed.type, placed.status], [input.side, input.type, status], name);
      assert.equal(placed.executed, executed, name);
      assert.deepEqual(await client.find(placed.id), placed, name);
      if (status !== 'NEW') continue;
      assert.deepEqual(await client.listOpen(), [placed], name);
      assert.equal((await client.cancel(placed.id)).status, 'CANCELED', name);
      assert.deepEqual(await stateOf(client, placed.id), ['CANCELED', 0], name);
      assert.equal(await codeOf(client, client.cancel(placed.id)), -2011, name);
    }
    assert.equal(await codeOf(client, client.find('987654321')), -2013);
  },
  { kinds: ['HMAC', 'Ed25519', 'RSA'] },
);

scenario('orders fill, and what was bought less its fee can be sold', async ({ client, exchange, account }) => {
  const before = await client.freeBalance('BTC');
  const bought = await place(client, { side: 'BUY', type: 'LIMIT', quantity: '0.01', price: 'ask*1.045' });
  assert.deepEqual([bought.status, bought.executed], ['FILLED', 0.01]);
  const fills = await client.listFills(bought.id);
  const total = (of: keyof FillSeen): number => sum(fills.map((one) => Number(one[of])));
  assert.ok(isNear(total('quantity'), 0.01) && Math.abs(total('quote') - bought.quote) < 1e-6);
  assert.ok(fills.every((one) => one.feeAsset === 'BTC' && one.fee > 0));
  assert.ok(isNear(await client.freeBalance('BTC'), before + 0.01 - total('fee')));
  await exchange.control('POST /balances', { account, balances: { BTC: (0.01 - total('fee')).toFixed(8) } });
  assert.equal(await codeOf(client, client.place({ side: 'SELL', type: 'MARKET', quantity: '0.01' })), -2010);
  const sold = await client.place({ side: 'SELL', type: 'MARKET', quantity: '0.00999' });
  assert.deepEqual([sold.status, sold.executed, sold.side, sold.type], ['FILLED', 0.00999, 'SELL', 'MARKET']);
  const feeAssets = (await client.listFills(sold.id)).map((one) => one.feeAsset);
  assert.ok(feeAssets.length > 0 && feeAssets.every((asset) => asset === 'USDT'));
});

scenario('an order may fill in part, and a market order may name what to spend', async ({ client, exchange }) => {
  const spent = await client.place({ side: 'BUY', type: 'MARKET', quoteOrderQty: '50' });
  assert.ok(spent.status === 'FILLED' && spent.quote > 49 && spent.quote <= 50);
  const thin = await place(client, { side: 'BUY', type: 'LIMIT', timeInForce: 'IOC', quantity: '1', price: 'ask*1' });
  assert.ok(thin.status === 'EXPIRED' && thin.executed > 0 && thin.executed < 1);
  const top = await topOf(client);
  const { id } = await place(client, { side: 'BUY', type: 'LIMIT', quantity: '0.01', price: 'bid*0.95' });
  await tradeAt(exchange, 'bid*0.95', { quantity: '0.004', top });
  assert.deepEqual(await stateOf(client, id), ['PARTIALLY_FILLED', 0.004]);
  assert.equal((await client.cancel(id)).status, 'CANCELED');
  assert.deepEqual(await stateOf(client, id), ['CANCELED', 0.004]);
  assert.ok(isNear(sum((await client.listFills(id)).map((one) => one.quantity)), 0.004));
});

/** Orders that wait for the market, and the trades at which they fire. */
const FIRING: readonly { readonly input: OrderInput; readonly trades: readonly string[] }[] = [
  { input: { ...SELL, type: 'STOP_LOSS', stopPrice: 'bid*0.99' }, trades: ['bid*0.99'] },
  { input: { ...SELL, type: 'STOP_LOSS_LIMIT', stopPrice: 'bid*0.99', price: 'bid*0.985' }, trades: ['bid*0.99'] },
  { input: { ...SELL, type: 'TAKE_PROFIT', stopPrice: 'ask*1.01' }, trades: ['ask*1.01'] },
  { input: { ...BUY, type: 'TAKE_PROFIT_LIMIT', stopPrice: 'bid*0.99', price: 'bid*0.995' }, trades: ['bid*0.99'] },
  { input: { ...SELL, type: 'STOP_LOSS', trailingDelta: 100 }, trades: ['ask*1.02', 'ask*1.0095'] },
];

scenario('a stop, a profit and a trail wait, and fire when the price gets there', async ({ client, exchange }) => {
  for (const { input, trades } of FIRING) {
    const top = await topOf(client);
    const { id } = await place(client, input);
    for (const price of trades) {
      assert.deepEqual(await stateOf(client, id), ['NEW', 0], JSON.stringify(input));
      await tradeAt(exchange, price, { top });
    }
    assert.deepEqual(await stateOf(client, id), ['FILLED', 0.001], JSON.stringify(input));
  }
});

scenario('refusals carry the code of the exchange', async ({ client, account, exchange }) => {
  const refusals: readonly [OrderInput, number][] = [
    [{ side: 'BUY', type: 'LIMIT', quantity: '0.00001', price: 'bid*0.95' }, -1013],
    [{ side: 'BUY', type: 'LIMIT', quantity: '9', price: 'bid*0.95' }, -2010],
    [{ ...BUY, type: 'LIMIT', price: 'bid*0.01' }, -1013],
    [{ ...BUY, type: 'LIMIT_MAKER', price: 'ask*1.01' }, -2010],
    [{ ...SELL, type: 'STOP_LOSS', stopPrice: 'ask*1.01' }, -2010],
    [{ ...SELL, type: 'TAKE_PROFIT', stopPrice: 'bid*0.99' }, -2010],
  ];
  for (const [input, code] of refusals)
    assert.equal(await codeOf(client, place(client, input)), code, JSON.stringify(input));
  assert.deepEqual(await client.listOpen(), []);
  await exchange.control('POST /symbols', { symbol, status: 'HALT' });
  assert.equal(await codeOf(client, place(client, { ...SELL, type: 'MARKET' })), -2010);
  await exchange.control('POST /symbols', { symbol, status: 'TRADING' });
  await exchange.control('POST /keys', { account, permissions: ['READ'] });
  assert.equal(await codeOf(client, place(client, { ...SELL, type: 'MARKET' })), -2015);
});

const replaced = z.object({ cancelResult: z.string(), newOrderResult: z.string(), newOrderResponse: z.unknown() });
/** Which order is to go, what is to come, and what the exchange answers; `old` is the old order's state afterwards. */
const REPLACEMENTS = [
  { mode: 'STOP_ON_FAILURE', cancels: 'the open one', price: 'bid*0.94', code: undefined, old: 'CANCELED', open: 1 },
  { mode: 'STOP_ON_FAILURE', cancels: 'an unknown one', price: 'bid*0.94', code: -2022, old: 'NEW', open: 1 },
  { mode: 'STOP_ON_FAILURE', cancels: 'the open one', quantity: '9', code: -2021, old: 'CANCELED', open: 0 },
  { mode: 'ALLOW_FAILURE', cancels: 'an unknown one', price: 'bid*0.94', code: -2021, old: 'NEW', open: 2 },
  { mode: 'ALLOW_FAILURE', cancels: 'an unknown one', quantity: '9', code: -2022, old: 'NEW', open: 1 },
  { mode: 'ALLOW_FAILURE', cancels: 'the open one', price: 'bid*0.01', code: -1013, old: 'NEW', open: 1 },
] as const;

scenario('cancel and replace ends in every way it can', async ({ client }) => {
  for (const { mode, cancels, code, old, open, ...order } of REPLACEMENTS) {
    const { id } = await place(client, { ...BUY, type: 'LIMIT', price: 'bid*0.95' });
    const input = { price: 'bid*0.95', ...BUY, ...order, symbol, type: 'LIMIT', timeInForce: 'GTC' };
    const cancelOrderId = cancels === 'the open one' ? id : '987654321';
    const params = { ...withPrices(input, await topOf(client)), cancelReplaceMode: mode, cancelOrderId };
    const name = `${mode}: ${cancels}, ${JSON.stringify(order)}`;
    if (code === undefined) {
      const { newOrderResponse, ...results } = replaced.parse(await client.send('replace', params));
      assert.deepEqual(results, { cancelResult: 'SUCCESS', newOrderResult: 'SUCCESS' }, name);
      assert.equal(readOrder(newOrderResponse).status, 'NEW', name);
    } else assert.equal(await codeOf(client, client.send('replace', params)), code, name);
    assert.equal((await client.find(id)).status, old, name);
    assert.equal((await client.listOpen()).length, open, name);
    if (open > 0) await client.send('cancelAll', { symbol });
  }
});

const SELL_PAIR = {
  ...{ aboveType: 'LIMIT_MAKER', abovePrice: 'ask*1.01' },
  ...{ belowType: 'STOP_LOSS_LIMIT', belowStopPrice: 'bid*0.99', belowPrice: 'bid*0.98', belowTimeInForce: 'GTC' },
};
const PENDING_PAIR = Object.fromEntries(
  Object.entries(SELL_PAIR).map(([name, value]) => [`pending${name.charAt(0).toUpperCase()}${name.slice(1)}`, value]),
);
const WORKING = {
  ...{ workingType: 'LIMIT', workingSide: 'BUY', workingQuantity: '0.01', workingPrice: 'bid*0.995' },
  ...{ workingTimeInForce: 'GTC', pendingSide: 'SELL' },
};
const PENDING = { pendingType: 'LIMIT', pendingPrice: 'ask*1.02', pendingTimeInForce: 'GTC' };
/** Lists of orders, the trades that move them, and the states of their orders, in the order they were answered in. */
const LISTS = [
  {
    operation: 'oco',
    params: { side: 'SELL', quantity: '0.01', ...SELL_PAIR },
    states: ['NEW NEW', 'FILLED EXPIRED'],
    trades: ['ask*1.015'],
  },
  {
    operation: 'oldOco',
    params: { side: 'SELL', quantity: '0.01', price: 'ask*1.01', stopPrice: 'bid*0.99' },
    states: ['NEW NEW', 'EXPIRED FILLED'],
    trades: ['bid*0.985'],
  },
  {
    operation: 'oto',
    params: { ...WORKING, ...PENDING, pendingQuantity: '0.005' },
    states: ['NEW PENDING_NEW', 'FILLED NEW', 'FILLED FILLED'],
    trades: ['bid*0.99', 'ask*1.03'],
  },
  {
    operation: 'otoco',
    params: { ...WORKING, ...PENDING_PAIR, pendingQuantity: '0.005' },
    states: ['NEW PENDING_NEW PENDING_NEW', 'FILLED NEW NEW', 'FILLED FILLED EXPIRED'],
    trades: ['bid*0.992', 'ask*1.03'],
  },
] as const;

const id = z.union([z.string(), z.number(), z.bigint()]).transform(String);
const orderList = z.object({
  orderListId: id,
  listOrderStatus: z.string(),
  orders: z.array(z.object({ orderId: id })),
});

scenario('lists of orders go through their states, and are cancelled whole', async ({ client, exchange }) => {
  for (const { operation, params, states, trades } of LISTS) {
    const top = await topOf(client);
    const begin = async () =>
      orderList.parse(await client.send(operation, { symbol, ...withPrices(params, await topOf(client)) }));
    const statesOf = async (list: z.output<typeof orderList>): Promise<string> =>
      (await Promise.all(list.orders.map((one) => client.find(one.orderId)))).map((one) => one.status).join(' ');
    const list = await begin();
    assert.equal(await statesOf(list), states[0], operation);
    for (const [at, price] of trades.entries()) {
      await tradeAt(exchange, price, { top });
      assert.equal(await statesOf(list), states[at + 1], `${operation} after a trade at ${price}`);
    }
    const done = orderList.parse(await client.send('findList', { orderListId: list.orderListId }));
    assert.equal(done.listOrderStatus, 'ALL_DONE', operation);
    const second = await begin();
    await client.send('cancelList', { symbol, orderListId: second.orderListId });
    assert.match(await statesOf(second), /^CANCELED( CANCELED)+$/, operation);
    assert.deepEqual(await client.send('openLists'), [], operation);
  }
});

const LIMIT = { ...BUY, symbol, type: 'LIMIT', timeInForce: 'GTC', price: 'bid*0.95' };
/** Requests that the real exchange supports and the paper exchange does not. */
const UNSUPPORTED: readonly (readonly [Operation, Params, number])[] = [
  ['routed', LIMIT, -1020],
  ['allocations', { symbol }, -1020],
  ['opo', { symbol, ...WORKING, ...PENDING }, -1020],
  ['opoco', { symbol, ...WORKING, ...PENDING_PAIR }, -1020],
  ['amend', { symbol, orderId: '1', newQty: '0.001' }, -1020],
  ['amendments', { symbol, orderId: '1' }, -1020],
  ['place', { ...LIMIT, pegPriceType: 'PRIMARY_PEG' }, -2010],
  ['place', { ...LIMIT, selfTradePreventionMode: 'TRANSFER' }, -1013],
];

scenario('what the paper exchange has not is refused, and nothing is placed instead', async ({ client, who }) => {
  await client.loadMarkets();
  for (const [operation, params, code] of UNSUPPORTED) {
    if (isLacking(who, operation)) continue;
    const call = client.send(operation, withPrices(params, await topOf(client)));
    assert.equal(await codeOf(client, call), code, `${operation} ${JSON.stringify(params)}`);
  }
  assert.deepEqual(await client.listOpen(), []);
});
