import { type RawNames, type RawStream, rawClient } from './raw-client.ts';
import { type Key, loadPackage, type StockClient, type Venue } from './stock-client.ts';

type Call = (params?: object) => Promise<unknown>;
type Client = Readonly<Record<string, Call>> & { getRateLimitStates(): Readonly<Record<string, number>> };
interface Sockets {
  on(event: string, listener: (message: unknown) => void): void;
  subscribe(topics: readonly string[], key: string): Promise<unknown>;
  closeAll(force: boolean): void;
}
interface Api {
  getWSClient(): Sockets;
  submitNewSpotOrder(order: object): Promise<{ readonly result: unknown }>;
  subscribeUserDataStream(key: string): Promise<unknown>;
}
interface Package {
  readonly MainClient: new (options: object) => Client;
  readonly WebsocketClient: new (options: object, logger: object) => Sockets;
  readonly WebsocketAPIClient: new (options: object, logger: object) => Api;
}

const NAMES: RawNames = {
  ping: 'testConnectivity',
  exchangeInfo: 'getExchangeInfo',
  depth: 'getOrderBook',
  trades: 'getRecentTrades',
  historicalTrades: 'getHistoricalTrades',
  blockTrades: 'getHistoricalBlockTrades',
  aggTrades: 'getAggregateTrades',
  klines: 'getKlines',
  uiKlines: 'getUIKlines',
  avgPrice: 'getAvgPrice',
  ticker24hr: 'get24hrChangeStatistics',
  tradingDay: 'getTradingDayTicker',
  rolling: 'getRollingWindowTicker',
  price: 'getSymbolPriceTicker',
  bookTicker: 'getSymbolOrderBookTicker',
  executionRules: 'getExecutionRules',
  referencePrice: 'getReferencePrice',
  referenceCalculation: 'getReferencePriceCalculation',
  place: 'submitNewOrder',
  find: 'getOrder',
  cancel: 'cancelOrder',
  listOpen: 'getOpenOrders',
  listFills: 'getAccountTradeList',
  account: 'getAccountInformation',
  tryOrder: 'testNewOrder',
  cancelAll: 'cancelAllSymbolOrders',
  replace: 'replaceOrder',
  listAll: 'getAllOrders',
  commission: 'getCommissionRates',
  orderCount: 'getOrderRateLimit',
  allocations: 'getAllocations',
  routed: 'submitNewSOROrder',
  preventions: 'getPreventedMatches',
  oco: 'submitNewOrderList',
  oldOco: 'submitNewOCO',
  oto: 'submitNewOrderListOTO',
  otoco: 'submitNewOrderListOTOCO',
  opo: 'submitNewOrderListOPO',
  opoco: 'submitNewOrderListOPOCO',
  cancelList: 'cancelOCO',
  findList: 'getOCO',
  openLists: 'getAllOpenOCO',
  allLists: 'getAllOCO',
};
const STREAMS: Readonly<Record<RawStream, string>> = {
  trade: 'btcusdt@trade',
  kline: 'btcusdt@kline_1m',
  ticker: 'btcusdt@ticker',
  depth: 'btcusdt@depth@100ms',
};
const silent = { trace: () => undefined, info: () => undefined, error: () => undefined };

/** The package `binance`. */
export async function openBinanceClient(venue: Venue, key: Key): Promise<StockClient> {
  const { MainClient, WebsocketClient, WebsocketAPIClient } = await loadPackage<Package>('binance');
  const keys = { api_key: key.apiKey, api_secret: key.secret };
  const client = new MainClient({ ...keys, baseUrl: venue.rest });
  const streams = new WebsocketClient({ ...keys, wsUrl: venue.ws, restOptions: { baseUrl: venue.rest } }, silent);
  const api = new WebsocketAPIClient({ ...keys, wsUrl: venue.ws, attachEventListeners: false }, silent);
  const sockets = [streams, api.getWSClient()];
  for (const socket of sockets) socket.on('exception', () => undefined);
  return {
    ...rawClient({
      names: NAMES,
      usedWeight: () => Number(client.getRateLimitStates()['x-mbx-used-weight-1m']),
      call: async (name, params) => client[name]?.call(client, params),
      // It adds no timestamp of its own here.
      placeBySocket: async (order) => (await api.submitNewSpotOrder({ ...order, timestamp: Date.now() })).result,
      followStream: async (stream, listener) => {
        streams.on('message', listener);
        await streams.subscribe([STREAMS[stream]], 'main');
      },
      followAccount: async (listener) => {
        api.getWSClient().on('message', listener);
        await api.subscribeUserDataStream('mainWSAPI');
      },
    }),
    [Symbol.asyncDispose]: () => {
      for (const socket of sockets) socket.closeAll(true);
      return Promise.resolve();
    },
  };
}
