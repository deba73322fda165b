import { openLocalBook } from './local-book.ts';
import * as raw from './raw-json.ts';
import type { Operation, Params } from './operations.ts';
import { type Feed, openFeed, type OrderSeen, type OrderInput, type StockClient } from './stock-client.ts';

/** A client's names of the operations that return the exchange's own JSON. */
export type RawNames = Readonly<Partial<Record<Operation, string>>>;
export type RawStream = 'trade' | 'kline' | 'ticker' | 'depth';

/** How such a client is called, and how it follows a stream or the account's events. */
interface RawCalls {
  readonly names: RawNames;
  usedWeight(): number;
  call(name: string, params?: object): Promise<unknown>;
  /** Places over the WebSocket API. */
  placeBySocket(order: object): Promise<unknown>;
  followStream(stream: RawStream, listener: (event: unknown) => void): Promise<void>;
  followAccount(listener: (event: unknown) => void): Promise<void>;
}

const symbol = 'BTCUSDT';

/** Adapts a client that returns the exchange's JSON unchanged. */
export function rawClient(calls: RawCalls): Omit<StockClient, typeof Symbol.asyncDispose> {
  const send = (operation: Operation, params: Params = {}): Promise<unknown> => {
    const name = calls.names[operation];
    if (name === undefined) throw new Error(`This client has no call for ${operation}.`);
    return calls.call(name, withNumbers(params));
  };
  const placeBySocket = async (input: OrderInput) =>
    raw.readOrder(await calls.placeBySocket(withNumbers(orderOf(input))));
  return { ...queriesOf(send), ...feedsOf(calls, send), usedWeight: calls.usedWeight, placeBySocket };
}

type Send = StockClient['send'];

/** These clients take amounts, prices and ids as numbers. */
const withNumbers = (params: Params): object =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value,
    ]),
  );

function orderOf(input: OrderInput): Params {
  const hasTime = input.type === 'LIMIT' || input.type.endsWith('_LIMIT');
  return { symbol, newOrderRespType: 'FULL', ...(hasTime ? { timeInForce: 'GTC' } : {}), ...input };
}

const partOf = (error: unknown, name: string): unknown =>
  typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;

function queriesOf(send: Send) {
  return {
    send,
    loadMarkets: async () => raw.readMarkets(await send('exchangeInfo')),
    place: async (input) => raw.readOrder(await send('place', orderOf(input))),
    find: async (orderId) => raw.readOrder(await send('find', { symbol, orderId })),
    cancel: async (orderId) => raw.readOrder(await send('cancel', { symbol, orderId })),
    listOpen: async () => raw.readOrders(await send('listOpen', { symbol })),
    listFills: async (orderId) => raw.readFills(await send('listFills', { symbol, orderId })),
    freeBalance: async (asset) => raw.readFree(await send('account'), asset),
    reportedAs: (error) => {
      const name = error instanceof Error && error.name !== 'Error' ? error.name : '';
      return `${name} ${String(partOf(error, 'code') ?? '')}`.trim();
    },
    codeOf: (error) => {
      const code = partOf(error, 'code') ?? partOf(partOf(error, 'error'), 'code');
      return typeof code === 'number' ? code : undefined;
    },
  } satisfies Partial<StockClient>;
}

function feedsOf({ followStream, followAccount }: RawCalls, send: Send) {
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
      const book = openLocalBook(() => send('depth', { symbol, limit: 1000 }));
      await followStream('depth', book.push);
      return book;
    },
  } satisfies Partial<StockClient>;
}
