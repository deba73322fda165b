import type { CandleColumns } from '#core/market/candle.ts';
import { formatDecimal, requireDecimal, ZERO } from '#core/amount/decimal.ts';
import { type Account, type AccountInput, parseAccounts } from '#paper/exchange/accounts.ts';
import type { Book } from '#paper/exchange/book.ts';
import { virtualClock } from '#paper/exchange/clock.ts';
import type { Report } from '#paper/exchange/matching-engine.ts';
import { replayOf } from '#paper/market/replay.ts';
import type { MarketSource } from '#paper/market/source.ts';
import { type Accepted, placeOrder, playTrade } from '#paper/exchange/matching.ts';
import type { NewOrder } from '#paper/exchange/order.ts';
import type { Balance } from '#paper/exchange/balances.ts';
import type { Refusal } from '#paper/exchange/refusal.ts';
import type { ListReport } from '#paper/exchange/order-list.ts';
import { commit, activate, openVenue, type Venue, type VenueParts } from '#paper/exchange/venue.ts';

/**
 * An exchange without sockets for tests: one quiet coin, BTCUSDT at 100.00 by default, on a virtual clock. Tests play
 * the trades.
 */
export interface TestExchange {
  readonly venue: Venue;
  readonly reports: Report[];
  readonly lists: ListReport[];
  /** The last balance that each account received in an event, by `account asset`. */
  readonly balances: ReadonlyMap<string, Balance>;
  place(order: Partial<OrderTexts>): Accepted | Refusal;
  /** Places an order that must be accepted. */
  accept(order: Partial<OrderTexts>): Accepted;
  /** Balances as text. */
  free(account: string, asset: string): string;
  locked(account: string, asset: string): string;
  trade(price: string, quantity: string, takerBuys: boolean): void;
  /** Removes all volume of the market makers ahead of resting orders. */
  toFront(): void;
}

interface TestExchangeOptions {
  /** More coins, each quiet at its price. */
  readonly others?: Readonly<Record<string, number>>;
  readonly stored?: NonNullable<VenueParts['stored']>;
}

export interface OrderTexts {
  readonly account: string;
  readonly clientOrderId: string;
  readonly side: NewOrder['side'];
  readonly type: NewOrder['type'];
  readonly timeInForce: NewOrder['timeInForce'];
  readonly price: string;
  readonly stopPrice: string;
  readonly quantity: string;
  readonly quoteQuantity: string;
  readonly icebergQuantity: string;
  readonly trailingDelta: number;
  readonly prevention: NewOrder['prevention'];
}

export const TEST_SYMBOL = 'BTCUSDT';
export const TEST_START_MS = Date.UTC(2022, 5, 1);
const MINUTE_MS = 60_000;

/** The options of an order without any options. */
export const NO_OPTIONS = {
  price: ZERO,
  stopPrice: ZERO,
  trailingDelta: 0,
  quoteQuantity: ZERO,
  icebergQuantity: ZERO,
  prevention: 'NONE',
  strategyId: null,
  strategyType: null,
} as const satisfies Partial<NewOrder>;

export const RICH: AccountInput[] = [
  {
    name: 'ann',
    apiKey: 'key-ann',
    secret: 'secret',
    balances: { USDT: '100000', BTC: '100' },
    makerBps: 10,
    takerBps: 10,
  },
  {
    name: 'bob',
    apiKey: 'key-bob',
    secret: 'secret',
    balances: { USDT: '100000', BTC: '100' },
    makerBps: 2,
    takerBps: 7.5,
  },
];

/** Candles of one minute each; a row is open, high, low, close, volume. */
function columnsOf(
  rows: readonly (readonly [number, number, number, number, number])[],
  startMs = TEST_START_MS,
): CandleColumns {
  const column = (at: number) => Float64Array.from(rows, (row) => row[at] ?? 0);
  return {
    openMs: Float64Array.from(rows, (_, index) => startMs + index * MINUTE_MS),
    open: column(0),
    high: column(1),
    low: column(2),
    close: column(3),
    volume: column(4),
  };
}

export function testSource(
  rows: readonly (readonly [number, number, number, number, number])[],
  others: Readonly<Record<string, number>> = {},
): MarketSource {
  const series = { symbol: TEST_SYMBOL, interval: '1m', intervalMs: MINUTE_MS, columns: columnsOf(rows) } as const;
  const quiet = Object.entries(others).map(([symbol, price]) => ({
    ...{ ...series, symbol, columns: columnsOf(rows.map(() => [price, price, price, price, 1])) },
  }));
  return replayOf('exchange', [series, ...quiet], TEST_START_MS);
}

export function openTestExchange(
  inputs: AccountInput[] = RICH,
  price = 100,
  more: TestExchangeOptions = {},
): TestExchange {
  const accounts: Account[] = parseAccounts(inputs);
  const reports: Report[] = [];
  const lists: ListReport[] = [];
  const balances = new Map<string, Balance>();
  const venue = openVenue({
    accounts,
    clock: virtualClock(TEST_START_MS + MINUTE_MS),
    source: testSource(
      [
        [price, price, price, price, 1],
        [price, price, price, price, 0],
      ],
      more.others,
    ),
    tradesPerCandle: () => 4,
    listeners: {
      onTrade: () => undefined,
      onClose: () => undefined,
      onReport: (report) => reports.push(report),
      onList: (report) => lists.push(report),
      onBalances: (_, rows) => {
        for (const row of rows) balances.set(`${row.owner} ${row.asset}`, row.balance);
      },
      onSettled: () => undefined,
      onPause: () => undefined,
      watched: () => [],
    },
    ...(more.stored === undefined ? {} : { stored: more.stored }),
  });
  activate(venue, TEST_SYMBOL);
  let clientIds = 0;
  const place: TestExchange['place'] = (texts) => {
    clientIds += 1;
    const result = placeOrder(venue.engine, orderOf(texts, `id-${clientIds}`), venue.clock.nowMs());
    commit(venue, venue.clock.nowMs());
    return result;
  };
  return {
    ...{ venue, reports, lists, balances, place },
    accept: (texts) => {
      const result = place(texts);
      if (result.kind === 'refused') throw new Error(`The order was refused: ${result.message}`);
      return result;
    },
    free: (account, asset) => formatDecimal(venue.engine.balances.balance(account, asset).free),
    locked: (account, asset) => formatDecimal(venue.engine.balances.balance(account, asset).locked),
    toFront: () => {
      for (const order of venue.engine.orders.open.values()) order.ahead = ZERO;
    },
    trade: (price, quantity, takerBuys) => {
      const { grid } = venue.engine.market(TEST_SYMBOL).listing;
      const ticks = Math.round((Number(price) * 1e8) / grid.tickUnits);
      const lots = Math.round((Number(quantity) * 1e8) / grid.stepUnits);
      playTrade(venue.engine, TEST_SYMBOL, { atMs: venue.clock.nowMs(), ticks, lots, takerBuys });
      commit(venue, venue.clock.nowMs());
    },
  };
}

const orderOf = (texts: Partial<OrderTexts>, clientOrderId: string): NewOrder => {
  const amount = (text: string | undefined) => (text === undefined ? ZERO : requireDecimal(text));
  return {
    ...{ ...NO_OPTIONS, account: 'ann', symbol: TEST_SYMBOL, clientOrderId, side: 'BUY', type: 'LIMIT' },
    timeInForce: 'GTC',
    ...texts,
    price: amount(texts.price),
    stopPrice: amount(texts.stopPrice),
    quantity: amount(texts.quantity),
    quoteQuantity: amount(texts.quoteQuantity),
    icebergQuantity: amount(texts.icebergQuantity),
  };
};

/** The number of orders that rest or wait in a book. */
export const ordersIn = ({ bids, asks, stops }: Book): number =>
  [...bids, ...asks].reduce((sum, level) => sum + level.orders.size, stops.size);
