import { openLocalBook } from './local-book.ts';
import * as raw from './raw-json.ts';
import { type Feed, type MarketQuery, openFeed, type OrderSeen, type StockClient } from './stock-client.ts';

/** What a client calls the operations that hand out the exchange's own JSON. */
export type RawNames = Readonly<
  Record<MarketQuery | 'place' | 'find' | 'cancel' | 'listOpen' | 'listFills' | 'account', string>
>;
export type RawStream = 'trade' | 'kline' | 'ticker' | 'depth';

/** How such a client is called, and how it follows a stream or the account's events. */
export interface RawCalls {
  readonly names: RawNames;
  call(name: string, params?: object): Promise<unknown>;
  followStream(stream: RawStream, listener: (event: unknown) => void): Promise<void>;
  followAccount(listener: (event: unknown) => void): Promise<void>;
}

const symbol = 'BTCUSDT';

/** A client made of one that passes the exchange's JSON on as it is. */
export const rawClient = (calls: RawCalls): Omit<StockClient, typeof Symbol.asyncDispose> => ({
  ...queriesOf(calls),
  ...feedsOf(calls),
});

function queriesOf({ names, call }: RawCalls) {
  return {
    loadMarkets: async () => raw.readMarkets(await call(names.exchangeInfo)),
    ask: (query, params) => call(names[query], params),
    place: async ({ quantity, price, stopPrice, ...wish }) => {
      const limit = price === undefined ? {} : { price: Number(price), timeInForce: 'GTC' };
      const stop = stopPrice === undefined ? {} : { stopPrice: Number(stopPrice) };
      const order = { ...wish, symbol, quantity: Number(quantity), ...limit, ...stop };
      return raw.readOrder(await call(names.place, { ...order, newOrderRespType: 'FULL' }));
    },
    find: async (orderId) => raw.readOrder(await call(names.find, { symbol, orderId })),
    cancel: async (orderId) => raw.readOrder(await call(names.cancel, { symbol, orderId })),
    listOpen: async () => raw.readOrders(await call(names.listOpen, { symbol })),
    listFills: async (orderId) => raw.readFills(await call(names.listFills, { symbol, orderId })),
    freeBalance: async (asset) => raw.readFree(await call(names.account), asset),
    codeOf: (error) => {
      const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
      return typeof code === 'number' ? code : undefined;
    },
  } satisfies Partial<StockClient>;
}

function feedsOf({ names, call, followStream, followAccount }: RawCalls) {
  const follow = async <Seen>(stream: RawStream, read: (event: unknown) => Seen | undefined): Promise<Feed<Seen>> => {
    const feed = openFeed<Seen>();
    await followStream(stream, (event) => {
      const seen = read(event);
      if (seen !== undefined) feed.push(seen);
    });
    return feed;
  };
  return {
    followOrders: async () => {
      const feed = openFeed<OrderSeen>();
      await followAccount((event) => {
        const seen = raw.readReport(event);
        if (seen !== undefined) feed.push(seen);
      });
      return feed;
    },
    followTrades: () =>
      follow('trade', (event) => {
        const { data } = raw.tradeEvent.safeParse(event);
        return data && { price: data.p, quantity: data.q };
      }),
    followCandles: () =>
      follow('kline', (event) => {
        const { data } = raw.klineEvent.safeParse(event);
        return data && { openMs: data.k.t, close: data.k.c };
      }),
    followTicker: () =>
      follow('ticker', (event) => {
        const { data } = raw.tickerEvent.safeParse(event);
        return data && { last: data.c, high: data.h, low: data.l };
      }),
    followBook: async () => {
      const book = openLocalBook(() => call(names.depth, { symbol, limit: 1000 }));
      await followStream('depth', book.push);
      return book;
    },
  } satisfies Partial<StockClient>;
}
