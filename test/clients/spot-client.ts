import { type RawNames, type RawStream, rawClient } from './raw-client.ts';
import { type Key, loadPackage, type StockClient, type Venue } from './stock-client.ts';

interface Answer {
  readonly headers: Readonly<Record<string, string>>;
  data(): Promise<unknown>;
}
type Call = (params?: object) => Promise<Answer>;
interface Stream {
  on(event: 'message', listener: (message: unknown) => void): void;
}
type Streams = Readonly<Record<string, (params: object) => Stream>> & { disconnect(): Promise<void> };
interface Api {
  sessionLogon(): Promise<unknown>;
  orderPlace(order: object): Promise<{ readonly data: unknown }>;
  userDataStreamSubscribe(): Promise<{ stream: Stream }>;
  userDataStreamSubscribeSignature(): Promise<{ stream: Stream }>;
  disconnect(): Promise<void>;
}
interface Client {
  readonly restAPI: Readonly<Record<string, Call>>;
  readonly websocketAPI: { connect(): Promise<Api> };
  readonly websocketStreams: { connect(): Promise<Streams> };
}
interface Package {
  readonly Spot: new (options: object) => Client;
}

const NAMES: RawNames = {
  ping: 'ping',
  time: 'time',
  exchangeInfo: 'exchangeInfo',
  depth: 'depth',
  trades: 'getTrades',
  historicalTrades: 'historicalTrades',
  blockTrades: 'historicalBlockTrades',
  aggTrades: 'aggTrades',
  klines: 'klines',
  uiKlines: 'uiKlines',
  avgPrice: 'avgPrice',
  ticker24hr: 'ticker24hr',
  tradingDay: 'tickerTradingDay',
  rolling: 'ticker',
  price: 'tickerPrice',
  bookTicker: 'tickerBookTicker',
  executionRules: 'executionRules',
  referencePrice: 'referencePrice',
  referenceCalculation: 'referencePriceCalculation',
  place: 'newOrder',
  find: 'getOrder',
  cancel: 'deleteOrder',
  listOpen: 'getOpenOrders',
  listFills: 'myTrades',
  account: 'getAccount',
  tryOrder: 'orderTest',
  cancelAll: 'deleteOpenOrders',
  replace: 'orderCancelReplace',
  amend: 'orderAmendKeepPriority',
  listAll: 'allOrders',
  commission: 'accountCommission',
  orderCount: 'rateLimitOrder',
  amendments: 'orderAmendments',
  allocations: 'myAllocations',
  routed: 'sorOrder',
  preventions: 'myPreventedMatches',
  filters: 'myFilters',
  oco: 'orderListOco',
  oldOco: 'orderOco',
  oto: 'orderListOto',
  otoco: 'orderListOtoco',
  opo: 'orderListOpo',
  opoco: 'orderListOpoco',
  cancelList: 'deleteOrderList',
  findList: 'getOrderList',
  openLists: 'openOrderList',
  allLists: 'allOrderList',
};
const symbol = 'BTCUSDT';
const STREAMS: Readonly<Record<RawStream, readonly [string, object]>> = {
  trade: ['trade', { symbol }],
  kline: ['kline', { symbol, interval: '1m' }],
  ticker: ['ticker', { symbol }],
  depth: ['diffBookDepth', { symbol, updateSpeed: '100ms' }],
};

/** The package `@binance/spot`. */
export async function openSpotClient(venue: Venue, key: Key, more: object = {}): Promise<StockClient> {
  // Otherwise it logs every connection to the console.
  process.env['LOG_LEVEL'] ??= 'error';
  const { Spot } = await loadPackage<Package>('@binance/spot');
  const secret = key.kind === 'HMAC' ? { apiSecret: key.secret } : { privateKey: key.secret };
  const client = new Spot({
    configurationRestAPI: { apiKey: key.apiKey, ...secret, basePath: venue.rest, retries: 0, ...more },
    configurationWebsocketAPI: { ...more, apiKey: key.apiKey, ...secret, wsURL: `${venue.ws}/ws-api/v3` },
    configurationWebsocketStreams: { ...more, wsURL: venue.ws },
  });
  const opened = new AsyncDisposableStack();
  const connect = async (): Promise<Api> => {
    const api = await client.websocketAPI.connect();
    opened.defer(() => api.disconnect());
    if (key.kind === 'Ed25519') await api.sessionLogon();
    return api;
  };
  let last: Answer | undefined;
  return {
    ...rawClient({
      names: NAMES,
      usedWeight: () => Number(last?.headers['x-mbx-used-weight-1m']),
      call: async (name, params) => {
        last = await client.restAPI[name]?.call(client.restAPI, params);
        return last?.data();
      },
      placeBySocket: async (order) => (await (await connect()).orderPlace(order)).data,
      followStream: async (stream, listener) => {
        const streams = await client.websocketStreams.connect();
        opened.defer(() => streams.disconnect());
        const [name, params] = STREAMS[stream];
        streams[name]?.call(streams, params).on('message', listener);
      },
      followAccount: async (listener) => {
        const api = await connect();
        const isLoggedOn = key.kind === 'Ed25519';
        const subscribed = isLoggedOn ? api.userDataStreamSubscribe() : api.userDataStreamSubscribeSignature();
        (await subscribed).stream.on('message', listener);
      },
    }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
