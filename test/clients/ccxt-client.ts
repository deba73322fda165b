import { z } from 'zod';
import { isMarketQuery, type Operation, routeOf } from './operations.ts';
import * as raw from './raw-json.ts';
import {
  type BookSeen,
  type Feed,
  type FillSeen,
  type Key,
  loadPackage,
  type Market,
  openFeed,
  type OrderSeen,
  type OrderInput,
  type StockClient,
  type Venue,
} from './stock-client.ts';

interface Order {
  readonly id: string;
  readonly info: unknown;
  readonly status: string;
  readonly amount: number;
  readonly filled: number;
  readonly remaining: number;
  readonly cost: number;
  readonly timestamp: number;
}
interface Fill {
  readonly amount: number;
  readonly price: number;
  readonly cost: number;
  readonly side: string;
  readonly takerOrMaker: string;
  readonly timestamp: number;
  readonly fee: { readonly cost: number; readonly currency: string };
}
type Ticker = Readonly<Record<'bid' | 'ask' | 'last' | 'close' | 'high' | 'low' | 'timestamp', number>>;
interface Range {
  readonly min: number;
  readonly max: number;
}
interface CcxtMarket {
  readonly id: string;
  readonly active: boolean;
  readonly contract?: boolean;
  readonly linear?: boolean;
  readonly inverse?: boolean;
  readonly precision: { readonly price: number; readonly amount: number };
  readonly limits: Readonly<Record<'amount' | 'price' | 'cost', Range>>;
}
interface Book {
  readonly nonce: number;
  readonly bids: readonly [number, number][];
  readonly asks: readonly [number, number][];
}
/** The part of ccxt that the scenarios use. */
export interface Ccxt {
  readonly last_response_headers: Readonly<Record<string, string>>;
  readonly urls: { readonly api: Record<string, unknown> & { readonly ws: Nested } };
  loadHttpProxyAgent(): Promise<unknown>;
  loadMarkets(): Promise<Readonly<Record<string, CcxtMarket>>>;
  createOrder(...order: unknown[]): Promise<Order>;
  createOrderWs(...order: unknown[]): Promise<Order>;
  fetchOrder(id: string, symbol: string): Promise<Order>;
  cancelOrder(id: string, symbol: string): Promise<Order>;
  fetchOpenOrders(symbol: string): Promise<readonly Order[]>;
  fetchOrderTrades(id: string, symbol: string): Promise<readonly Fill[]>;
  fetchBalance(): Promise<{ readonly free: Readonly<Record<string, number>> }>;
  watchOrders(symbol: string): Promise<readonly Order[]>;
  watchTrades(symbol: string): Promise<readonly { readonly price: number; readonly amount: number }[]>;
  watchOHLCV(symbol: string, interval: string): Promise<readonly (readonly number[])[]>;
  fetchTicker(symbol: string): Promise<Ticker>;
  watchTicker(symbol: string): Promise<Ticker>;
  watchOrderBook(symbol: string): Promise<Book>;
  close(): Promise<unknown>;
}
type Nested = Record<string, unknown> & { 'ws-api': Record<string, unknown> };
interface Package {
  readonly pro: { readonly binance: new (options: object) => Ccxt };
}

const SYMBOL = 'BTC/USDT';
const callable = z.custom<(...args: unknown[]) => Promise<unknown>>((value) => typeof value === 'function');

export const callByName = async (ex: Ccxt, name: string, ...args: unknown[]): Promise<unknown> =>
  callable.parse(Reflect.get(ex, name)).call(ex, ...args);

/** Its call for an operation is named after its path: `privatePostOrderListOco`. */
function methodOf(operation: Operation): string {
  const [verb = '', ...path] = routeOf(operation).split(/[ /]/);
  const capital = (word: string) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
  return `${isMarketQuery(operation) ? 'public' : 'private'}${capital(verb.toLowerCase())}${path.map(capital).join('')}`;
}

/** An exchange object of ccxt with nothing but its addresses changed; `spotOnly` leaves out its other markets. */
async function openCcxt(venue: Venue, key: Key, spotOnly: boolean): Promise<Ccxt> {
  const ccxt = await loadPackage<Package>('ccxt');
  const narrow = { fetchMarkets: { types: ['spot'] }, fetchMargins: false, fetchCurrencies: false };
  const exchange = new ccxt.pro.binance({
    apiKey: key.apiKey,
    secret: key.secret,
    options: { defaultType: 'spot', ...(spotOnly ? narrow : {}) },
    // Its own pace, made for a slower exchange, is kept by the one that starts with everything.
    enableRateLimit: !spotOnly,
  });
  const { api } = exchange.urls;
  for (const [name, url] of Object.entries(api))
    if (typeof url === 'string') api[name] = url.replace(/^https:\/\/[^/]+/, venue.rest);
  api.ws['spot'] = `${venue.ws}/ws`;
  api.ws['ws-api']['spot'] = `${venue.ws}/ws-api/v3`;
  await exchange.loadHttpProxyAgent();
  return exchange;
}

/** The package `ccxt` with its streams. */
export async function openCcxtClient(
  venue: Venue,
  key: Key,
  spotOnly = true,
): Promise<StockClient & { readonly ex: Ccxt }> {
  const ex = await openCcxt(venue, key, spotOnly);
  const closing = new AbortController();
  return {
    ex,
    ...queriesOf(ex),
    ...feedsOf(ex, closing.signal),
    [Symbol.asyncDispose]: async () => {
      closing.abort();
      await ex.close();
    },
  };
}

function orderOf(input: OrderInput): unknown[] {
  const { type, side, quantity, price } = input;
  const kind = type.includes('LIMIT') ? 'limit' : 'market';
  const limit = price === undefined ? undefined : Number(price);
  return [SYMBOL, kind, side.toLowerCase(), Number(quantity ?? 0), limit, extrasOf(input)];
}

/** Refusals that ccxt reports with the exchange's text, without the code. */
const REPORTED_BY_TEXT: readonly (readonly [RegExp, number])[] = [
  [/^binance Filter failure: /, -1013],
  [/^binance (Account has insufficient balance|Order would|Market is closed)/, -2010],
];

/** Its own words for what is special about an order. */
function extrasOf({ type, timeInForce, quoteOrderQty, stopPrice, trailingDelta }: OrderInput): object {
  const way = type.startsWith('TAKE_PROFIT') ? 'takeProfit' : 'stopLoss';
  return {
    ...(type === 'LIMIT_MAKER' ? { postOnly: true } : {}),
    ...(timeInForce === undefined ? {} : { timeInForce }),
    ...(quoteOrderQty === undefined ? {} : { cost: Number(quoteOrderQty) }),
    ...(stopPrice === undefined ? {} : { [`${way}Price`]: Number(stopPrice) }),
    ...(trailingDelta === undefined ? {} : { trailingPercent: trailingDelta / 100, stopLossOrTakeProfit: way }),
  };
}

const marketOf = ({ id, active, precision, limits }: CcxtMarket): Market => ({
  symbol: id,
  active,
  tick: precision.price,
  step: precision.amount,
  minQuantity: limits.amount.min,
  maxQuantity: limits.amount.max,
  minNotional: limits.cost.min,
});

function queriesOf(ex: Ccxt) {
  return {
    loadMarkets: async () => Object.values(await ex.loadMarkets()).map(marketOf),
    send: async (operation, params = {}) => {
      const lists = Object.entries(params).map(([name, value]) => [
        name,
        typeof value === 'object' ? JSON.stringify(value) : value,
      ]);
      return callByName(ex, methodOf(operation), Object.fromEntries(lists));
    },
    place: async (input) => raw.readOrder((await ex.createOrder(...orderOf(input))).info),
    placeBySocket: async (input) => raw.readOrder((await ex.createOrderWs(...orderOf(input))).info),
    usedWeight: () => {
      const headers = Object.entries(ex.last_response_headers);
      return Number(headers.find(([name]) => name.toLowerCase() === 'x-mbx-used-weight-1m')?.[1]);
    },
    find: async (id) => raw.readOrder((await ex.fetchOrder(id, SYMBOL)).info),
    cancel: async (id) => raw.readOrder((await ex.cancelOrder(id, SYMBOL)).info),
    listOpen: async () => (await ex.fetchOpenOrders(SYMBOL)).map((one) => raw.readOrder(one.info)),
    listFills: async (id) => (await ex.fetchOrderTrades(id, SYMBOL)).map(fillOf),
    freeBalance: async (asset) => (await ex.fetchBalance()).free[asset] ?? 0,
    reportedAs: (error) => (error instanceof Error ? error.name : String(error)),
    codeOf: (error) => {
      const message = error instanceof Error ? error.message : '';
      const [, code] = /"code":(-\d+)/.exec(message) ?? [];
      return code === undefined ? REPORTED_BY_TEXT.find(([text]) => text.test(message))?.[1] : Number(code);
    },
  } satisfies Partial<StockClient>;
}

function feedsOf(ex: Ccxt, closing: AbortSignal) {
  const follow = <Seen>(watch: () => Promise<readonly Seen[]>): Promise<Feed<Seen>> => {
    const feed = openFeed<Seen>();
    const run = async (): Promise<void> => {
      while (!closing.aborted) for (const seen of await watch()) feed.push(seen);
    };
    run().catch((error: unknown) => {
      if (!closing.aborted) throw error;
    });
    return Promise.resolve(feed);
  };
  const isReport = (seen: OrderSeen | undefined): seen is OrderSeen => seen !== undefined;
  return {
    followOrders: () =>
      follow(async () => (await ex.watchOrders(SYMBOL)).map((one) => raw.readReport(one.info)).filter(isReport)),
    followTrades: () =>
      follow(async () => (await ex.watchTrades(SYMBOL)).map(({ price, amount }) => ({ price, quantity: amount }))),
    followCandles: () =>
      follow(async () =>
        (await ex.watchOHLCV(SYMBOL, '1m')).map((row) => ({ openMs: row[0] ?? 0, close: row[4] ?? 0 })),
      ),
    followTicker: () => follow(async () => [await ex.watchTicker(SYMBOL)]),
    followBook: () => follow(async () => [bookOf(await ex.watchOrderBook(SYMBOL))]),
  } satisfies Partial<StockClient>;
}

const fillOf = ({ amount, price, cost, fee }: Fill): FillSeen => ({
  quantity: amount,
  price,
  quote: cost,
  fee: fee.cost,
  feeAsset: fee.currency,
});

const bookOf = ({ nonce, bids, asks }: Book): BookSeen => ({
  lastUpdateId: nonce,
  bids: bids.map(([price, quantity]) => [price, quantity]),
  asks: asks.map(([price, quantity]) => [price, quantity]),
});
