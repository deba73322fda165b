import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { add, formatDecimal, requireDecimal, ZERO } from '#core/amount/decimal.ts';
import type { AccountInput } from './accounts.ts';
import { pick } from '#test/paper/client.ts';
import { openJournal } from './journal.ts';
import { openLimits } from '#paper/rest/limits.ts';
import { isOpen } from './order.ts';
import { ORDER_TYPES, PREVENTION_MODES } from '#paper/market/order-types.ts';
import { executionReport, queriedOrder } from '#paper/rest/order-json.ts';
import { bookOf, wholeState } from './orders.ts';
import { totalsOf } from './balances.ts';
import { type RestTestExchange, withRoutes } from '#test/paper/test-exchange-rest.ts';
import { openTestExchange, ordersIn, TEST_SYMBOL } from '#test/paper/test-exchange.ts';

/** Number of actions in one run. PAPER_ACTIONS and PAPER_SEED repeat or lengthen a run. */
const ACTIONS = Number(process.env['PAPER_ACTIONS'] ?? 10_000);
const SEED = Number(process.env['PAPER_SEED'] ?? Date.now() % 2 ** 31);
const CLIENTS = 50;
const CHECK_EVERY = 100;

const accounts: AccountInput[] = Array.from({ length: CLIENTS }, (_, at) => ({
  name: `client-${at}`,
  apiKey: `key-${at}`,
  secret: 'secret',
  balances: { USDT: String(1000 + 400 * at), BTC: String(5 + at), BNB: at % 2 === 0 ? '0.5' : '0' },
  makerBps: at % 7,
  takerBps: 2 + (at % 9),
  feesInBnb: at % 3 === 0,
}));

/** A few clients are busy and most prices are close together, so that orders match, also orders of one account. */
const account = fc.oneof(fc.nat(2), fc.nat(CLIENTS - 1)).map((at) => `client-${at}`);
const near = fc.integer({ min: 9996, max: 10_004 });
const around = fc.integer({ min: 9900, max: 10_100 });
const far = fc.integer({ min: 9500, max: 10_500 });
const inCents = (cents: number): string => (cents / 100).toFixed(2);
const price = fc.oneof(near, around, far).map(inCents);
const tradePrice = fc.oneof({ weight: 20, arbitrary: near }, { weight: 4, arbitrary: around }, far).map(inCents);
const quantity = fc.integer({ min: 6000, max: 600_000 }).map((lots) => (lots / 100_000).toFixed(5));
const side = fc.constantFrom('BUY', 'SELL');
const timeInForce = fc.constantFrom('GTC', 'GTC', 'GTC', 'IOC', 'FOK');
const prevention = fc.constantFrom(...PREVENTION_MODES);
const prices = fc.tuple(price, price, price).map((three) => three.toSorted((a, b) => Number(b) - Number(a)));
const any = { account, side, quantity, price };

const action = fc.oneof(
  {
    weight: 32,
    arbitrary: fc.record({
      ...{ kind: fc.constant('order' as const), ...any, stopPrice: price, timeInForce, prevention },
      type: fc.constantFrom('LIMIT', 'LIMIT', ...ORDER_TYPES),
      trailingDelta: fc.option(fc.integer({ min: 10, max: 300 })),
      parts: fc.option(fc.integer({ min: 2, max: 20 })),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('quote' as const), ...any, prevention }) },
  {
    weight: 8,
    arbitrary: fc.record({
      ...{ kind: fc.constant('list' as const), ...any, prices, trigger: fc.constantFrom('oco', 'oto', 'otoco') },
      last: fc.constantFrom('STOP_LOSS', 'STOP_LOSS_LIMIT'),
    }),
  },
  {
    weight: 12,
    arbitrary: fc.record({ kind: fc.constant('trade' as const), price: tradePrice, quantity, buys: fc.boolean() }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('cancel' as const), nth: fc.nat() }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('replace' as const), ...any, nth: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('sweep' as const), account }) },
);
type Action = typeof action extends fc.Arbitrary<infer One> ? One : never;

const LIMITED: readonly string[] = ['LIMIT', 'LIMIT_MAKER', 'STOP_LOSS_LIMIT', 'TAKE_PROFIT_LIMIT'];
const TIMED: readonly string[] = ['LIMIT', 'STOP_LOSS_LIMIT', 'TAKE_PROFIT_LIMIT'];

function orderParams(action: Extract<Action, { kind: 'order' }>): Record<string, string> {
  const isStop = action.type.startsWith('STOP') || action.type.startsWith('TAKE');
  const trails = isStop && action.trailingDelta !== null;
  const hides = action.parts !== null && LIMITED.includes(action.type) && action.timeInForce === 'GTC';
  return {
    ...{ side: action.side, type: action.type, quantity: action.quantity, selfTradePreventionMode: action.prevention },
    ...(LIMITED.includes(action.type) ? { price: action.price } : {}),
    ...(TIMED.includes(action.type) ? { timeInForce: action.timeInForce } : {}),
    ...(isStop && !(trails && Number(action.quantity) > 3) ? { stopPrice: action.stopPrice } : {}),
    ...(trails ? { trailingDelta: String(action.trailingDelta) } : {}),
    ...(hides ? { icebergQty: (Number(action.quantity) / (action.parts ?? 1)).toFixed(5) } : {}),
  };
}

function listParams(action: Extract<Action, { kind: 'list' }>): Record<string, string> {
  const [above = '', middle = '', below = ''] = action.prices;
  const limited = action.last === 'STOP_LOSS_LIMIT';
  const name = (prefix: string, field: string) =>
    prefix === '' ? field : `${prefix}${field.replace(/^./, (first) => first.toUpperCase())}`;
  const pair = (prefix: string, selling: boolean) => {
    const [profit, loss] = selling ? ['above', 'below'] : ['below', 'above'];
    return {
      [name(prefix, `${profit}Type`)]: 'LIMIT_MAKER',
      [name(prefix, `${profit}Price`)]: selling ? above : below,
      [name(prefix, `${loss}Type`)]: action.last,
      [name(prefix, `${loss}StopPrice`)]: selling ? below : above,
      ...(limited ? { [name(prefix, `${loss}Price`)]: middle, [name(prefix, `${loss}TimeInForce`)]: 'GTC' } : {}),
    };
  };
  const selling = action.side === 'SELL';
  if (action.trigger === 'oco') return { side: action.side, quantity: action.quantity, ...pair('', selling) };
  const exit = selling ? 'BUY' : 'SELL';
  return {
    ...{ workingType: 'LIMIT', workingSide: action.side, workingPrice: action.price, workingQuantity: action.quantity },
    ...{ workingTimeInForce: 'GTC', pendingSide: exit },
    pendingQuantity: action.quantity,
    ...(action.trigger.endsWith('oco') ? pair('pending', exit === 'SELL') : { pendingType: 'MARKET' }),
  };
}

/** Executes one action and returns its outcome. Random actions may be refused, but none may throw. */
function play(exchange: RestTestExchange, action: Action): string {
  const open = [...exchange.venue.engine.orders.open.values()];
  const chosen = 'nth' in action ? open[action.nth % Math.max(1, open.length)] : undefined;
  const outcomeOf = (answer: { readonly status: number; readonly body: unknown }) =>
    `${action.kind} ${answer.status} ${String(pick(answer.body, 'msg') ?? '')}`;
  switch (action.kind) {
    case 'order':
      return outcomeOf(exchange.request('POST order', orderParams(action), action.account));
    case 'quote': {
      const params = {
        side: action.side,
        type: 'MARKET',
        quoteOrderQty: action.price,
        selfTradePreventionMode: action.prevention,
      };
      return outcomeOf(exchange.request('POST order', params, action.account));
    }
    case 'list':
      return outcomeOf(exchange.request(`POST orderList/${action.trigger}`, listParams(action), action.account));
    case 'trade':
      exchange.trade(action.price, action.quantity, action.buys);
      return 'trade';
    case 'sweep':
      return outcomeOf(exchange.request('DELETE openOrders', {}, action.account));
    case 'cancel':
      if (chosen === undefined) return 'none';
      return outcomeOf(exchange.request('DELETE order', { orderId: String(chosen.id) }, chosen.account));
    case 'replace': {
      if (chosen === undefined) return 'none';
      const order = {
        side: action.side,
        type: 'LIMIT',
        timeInForce: 'GTC',
        price: action.price,
        quantity: action.quantity,
      };
      const params = { ...order, cancelReplaceMode: 'ALLOW_FAILURE', cancelOrderId: String(chosen.id) };
      return outcomeOf(exchange.request('POST order/cancelReplace', params, chosen.account));
    }
  }
}

function assertSound(exchange: RestTestExchange): void {
  const { orders, balances } = exchange.venue.engine;
  for (const total of totalsOf(balances.rows())) assert.equal(total.difference, ZERO, `${total.asset} is conserved`);
  const open = [...orders.byId.values()].filter(isOpen);
  const locks = new Map<string, typeof ZERO>();
  for (const order of open) {
    const key = `${order.account} ${order.side === 'BUY' ? 'USDT' : 'BTC'}`;
    locks.set(key, add(locks.get(key) ?? ZERO, order.locked));
  }
  for (const { owner, asset, balance } of balances.rows().filter((row) => !row.owner.startsWith('#'))) {
    assert.ok(balance.free >= 0n && balance.locked >= 0n);
    const expected = locks.get(`${owner} ${asset}`) ?? ZERO;
    assert.equal(
      formatDecimal(balance.locked),
      formatDecimal(expected),
      `${owner} locks ${asset} for open orders only`,
    );
  }
  const book = bookOf(orders, TEST_SYMBOL);
  const placed = open.filter((order) => order.status !== 'PENDING_NEW');
  assert.equal(ordersIn(book), placed.length, 'open orders are in the book');
  assert.deepEqual([orders.open.size, book.fired.size, orders.touchedLists.size], [open.length, 0, 0]);
  const [bid, ask] = [book.bids[0], book.asks[0]];
  assert.ok(bid === undefined || ask === undefined || bid.price < ask.price, 'the book is never crossed');
  for (const list of orders.lists.values())
    assert.equal(list.done, !list.orderIds.some((id) => orders.open.has(id)), 'a list is done with its last order');
}

/** The events of the account add up to the answers of queries. */
function assertEventsMatch(exchange: RestTestExchange): void {
  const lastEvents = new Map<unknown, Record<string, unknown>>();
  let lastExecution = 0;
  for (const report of exchange.reports) {
    assert.ok(report.executionId > lastExecution, 'execution ids rise');
    lastExecution = report.executionId;
    const event = executionReport(report);
    const before = lastEvents.get(event['i']);
    const filled = Number(before?.['z'] ?? 0) + Number(event['l']);
    assert.equal(filled.toFixed(5), Number(event['z']).toFixed(5), 'fills add up');
    lastEvents.set(event['i'], event);
  }
  for (const order of exchange.venue.engine.orders.byId.values()) {
    const [event, answer] = [lastEvents.get(order.id), queriedOrder(order)];
    assert.deepEqual(
      ['X', 'z', 'Z', 'q', 'c', 'g'].map((field) => event?.[field]),
      ['status', 'executedQty', 'cummulativeQuoteQty', 'origQty', 'clientOrderId', 'orderListId'].map(
        (field) => answer[field],
      ),
    );
  }
  for (const { owner, asset, balance } of exchange.venue.engine.balances.rows()) {
    const reported = exchange.balances.get(`${owner} ${asset}`);
    if (reported !== undefined) assert.deepEqual(reported, balance, `${owner} received its ${asset}`);
  }
}

/** Runs the actions on a new exchange that keeps a journal. Returns how often each outcome occurred. */
function run(actions: readonly Action[]): Map<string, number> {
  const folder = mkdtempSync(join(tmpdir(), 'paper-property-'));
  try {
    const options = () => {
      const { journal, records, marketMs } = openJournal(folder);
      return { others: { BNBUSDT: 500 }, stored: { journal, records, marketMs: marketMs ?? Infinity } };
    };
    const unlimited = { ...openLimits(), reachedOrderLimit: () => undefined };
    const exchange = withRoutes(openTestExchange(accounts, 100, options()), unlimited);
    const [up, down] = [requireDecimal('1.02'), requireDecimal('0.98')];
    exchange.venue.engine.market(TEST_SYMBOL).terms.range = { bidUp: up, bidDown: down, askUp: up, askDown: down };
    const answers = new Map<string, number>();
    for (const [at, action] of actions.entries()) {
      const outcome = play(exchange, action);
      answers.set(outcome, (answers.get(outcome) ?? 0) + 1);
      if (at % CHECK_EVERY === 0) assertSound(exchange);
    }
    assertSound(exchange);
    assertEventsMatch(exchange);
    const again = openTestExchange(accounts, 100, options());
    assert.deepEqual(wholeState(again.venue.engine.orders), wholeState(exchange.venue.engine.orders));
    assert.deepEqual(new Set(again.venue.engine.balances.rows()), new Set(exchange.venue.engine.balances.rows()));
    for (const order of exchange.venue.engine.orders.byId.values()) {
      const end = `${order.status} ${order.expiryReason}`;
      answers.set(end, (answers.get(end) ?? 0) + 1);
    }
    return answers;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test(`${ACTIONS} random actions of ${CLIENTS} clients, seed ${SEED}: money is conserved, streams and journal rebuild it all`, (context) => {
  const answers = run(fc.sample(action, { numRuns: ACTIONS, seed: SEED }));
  for (const kind of ['order 200 ', 'list 200 ', 'cancel 200 ', 'replace 200 '])
    assert.ok((answers.get(kind) ?? 0) > 0, `some ${kind}`);
  context.diagnostic([...answers].map(([outcome, times]) => `${times} ${outcome}`).join('; '));
});
