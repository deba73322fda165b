/** The exchange's operations that scenarios send as they are: method and path below /api/v3. */
const MARKET = {
  ping: 'GET ping',
  time: 'GET time',
  exchangeInfo: 'GET exchangeInfo',
  depth: 'GET depth',
  trades: 'GET trades',
  historicalTrades: 'GET historicalTrades',
  blockTrades: 'GET historicalBlockTrades',
  aggTrades: 'GET aggTrades',
  klines: 'GET klines',
  uiKlines: 'GET uiKlines',
  avgPrice: 'GET avgPrice',
  ticker24hr: 'GET ticker/24hr',
  tradingDay: 'GET ticker/tradingDay',
  rolling: 'GET ticker',
  price: 'GET ticker/price',
  bookTicker: 'GET ticker/bookTicker',
  executionRules: 'GET executionRules',
  referencePrice: 'GET referencePrice',
  referenceCalculation: 'GET referencePrice/calculation',
} as const;
const SIGNED = {
  place: 'POST order',
  tryOrder: 'POST order/test',
  find: 'GET order',
  cancel: 'DELETE order',
  cancelAll: 'DELETE openOrders',
  replace: 'POST order/cancelReplace',
  amend: 'PUT order/amend/keepPriority',
  amendments: 'GET order/amendments',
  listOpen: 'GET openOrders',
  listAll: 'GET allOrders',
  listFills: 'GET myTrades',
  account: 'GET account',
  commission: 'GET account/commission',
  orderCount: 'GET rateLimit/order',
  preventions: 'GET myPreventedMatches',
  allocations: 'GET myAllocations',
  routed: 'POST sor/order',
  filters: 'GET myFilters',
  oco: 'POST orderList/oco',
  oldOco: 'POST order/oco',
  oto: 'POST orderList/oto',
  otoco: 'POST orderList/otoco',
  opo: 'POST orderList/opo',
  opoco: 'POST orderList/opoco',
  cancelList: 'DELETE orderList',
  findList: 'GET orderList',
  openLists: 'GET openOrderList',
  allLists: 'GET allOrderList',
} as const;

export type MarketQuery = keyof typeof MARKET;
export type Operation = MarketQuery | keyof typeof SIGNED;
export type Params = Readonly<Record<string, string | number | readonly string[]>>;

export const isMarketQuery = (operation: Operation): operation is MarketQuery => Object.hasOwn(MARKET, operation);
export const MARKET_QUERIES = Object.keys(MARKET).filter((name): name is MarketQuery => Object.hasOwn(MARKET, name));
export const routeOf = (operation: Operation): string => ({ ...MARKET, ...SIGNED })[operation];

/** Operations that a client can only do at the real exchange, or not at all, with the reason. */
export const EXCEPTIONS: Readonly<Record<string, Partial<Record<Operation, string>>>> = {
  ccxt: {
    amend: 'it has no call for PUT order/amend/keepPriority of the spot market',
    amendments: 'it has no call for GET order/amendments',
    filters: 'it has no call for GET myFilters',
  },
  '@binance/spot': {},
  binance: {
    time: 'getServerTime() goes to api.binance.com whatever base address is set',
    amend: 'amendOrderKeepPriority() goes to the futures path fapi/v1',
    amendments: 'it has no call for GET order/amendments',
    filters: 'it has no call for GET myFilters',
  },
};
