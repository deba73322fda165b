import type { Decimal } from '#core/amount/decimal.ts';
import type { Account } from './accounts.ts';
import { worthInBnb } from './commission.ts';
import type { MarketClock } from './clock.ts';
import { expireOrder, type MatchingEngine, type Report } from './matching-engine.ts';
import type { Journal, JournalRecord } from './journal.ts';
import { type KlineQuery, readKlines } from '#paper/market/klines.ts';
import type { Kline } from '#paper/market/kline.ts';
import { referenceOf } from '#paper/market/reference.ts';
import type { MarketSource } from '#paper/market/source.ts';
import {
  nextEventMs,
  openSymbolMarket,
  type PublicTrade,
  skipTo,
  statusOf,
  type SymbolMarket,
  shiftEvent,
} from '#paper/market/symbol-market.ts';
import { playStep } from './matching.ts';
import { filterRefusal } from './order-filters.ts';
import type { ListReport } from './order-list.ts';
import { clearOrders, emptyOrders, restoreOrders, symbolsWithOrders, drainChanges, wholeState } from './orders.ts';
import { openBalances, OUTSIDE_OWNER, type BalanceRow } from './balances.ts';

/** Receives events of the market and of accounts. Calls come after the change is stored. */
interface VenueListeners {
  onTrade(trade: PublicTrade): void;
  /** A candle of the coin's own interval has closed. */
  onClose(symbol: string, openMs: number, atMs: number): void;
  onReport(report: Report): void;
  onList(report: ListReport): void;
  onBalances(account: string, rows: readonly BalanceRow[], atMs: number): void;
  /** A change is complete and stored: the books are consistent at this market time. */
  onSettled(atMs: number): void;
  /** Nothing more happens up to this market time. */
  onPause(nowMs: number): void;
  /** Coins with subscribers, in addition to those with open orders. */
  watched(): Iterable<string>;
}

export interface DepthSnapshot {
  readonly lastUpdateId: number;
  readonly bids: readonly (readonly [string, string])[];
  readonly asks: readonly (readonly [string, string])[];
}

/** Test controls that make queries return outdated answers. */
interface TestControls {
  /** Market time for which queries do not return a new order. */
  orderLagMs: number;
  /** Books that queries return instead of the current one. */
  readonly staleDepth: Map<string, DepthSnapshot>;
}

/** The exchange without its sockets. */
export interface Venue {
  readonly clock: MarketClock;
  readonly source: MarketSource;
  readonly accounts: readonly Account[];
  readonly markets: ReadonlyMap<string, SymbolMarket>;
  readonly engine: MatchingEngine;
  readonly listeners: VenueListeners;
  readonly journal: Journal | undefined;
  /** Coins whose every trade is played. All others are brought to the current time when a request needs them. */
  readonly live: Set<string>;
  readonly outbox: (Report | ListReport)[];
  readonly testControls: TestControls;
  /** Market time up to which the live coins have been played. */
  playedMs: number;
}

export interface VenueParts {
  readonly clock: MarketClock;
  readonly source: MarketSource;
  readonly accounts: readonly Account[];
  readonly listeners: VenueListeners;
  readonly tradesPerCandle: (intervalMs: number) => number;
  readonly stored?: {
    readonly journal: Journal;
    readonly records: readonly JournalRecord[];
    readonly marketMs: number;
  };
}

/** Builds the exchange from its parts and the stored state, then plays the time that open orders missed. */
export function openVenue(parts: VenueParts): Venue {
  const { clock, source, accounts, listeners, stored } = parts;
  const records = stored?.records ?? [];
  const fromMs = Math.min(clock.nowMs(), stored?.marketMs ?? Infinity);
  const tradeIds = new Map(records.flatMap((record) => Object.entries(record.tradeIds)));
  const markets = new Map(
    source.listings.map((listing) => {
      const { symbol } = listing.rules;
      const tradesPerCandle = parts.tradesPerCandle(listing.intervalMs);
      return [
        symbol,
        openSymbolMarket(source, listing, { tradesPerCandle, fromMs, lastTradeId: tradeIds.get(symbol) ?? 0 }),
      ];
    }),
  );
  const venue: Venue = {
    clock,
    source,
    accounts,
    markets,
    engine: openMatchingEngine(accounts, markets, {
      onTrade: listeners.onTrade,
      outbox: () => venue.outbox,
      nowMs: () => venue.playedMs,
      lastPrice: (symbol) => lastPriceOf(venue, symbol),
    }),
    listeners,
    journal: stored?.journal,
    live: new Set(),
    outbox: [],
    testControls: { orderLagMs: 0, staleDepth: new Map() },
    playedMs: fromMs,
  };
  restore(venue, records);
  return venue;
}

function openMatchingEngine(
  accounts: readonly Account[],
  markets: ReadonlyMap<string, SymbolMarket>,
  out: {
    readonly onTrade: (trade: PublicTrade) => void;
    readonly outbox: () => (Report | ListReport)[];
    readonly nowMs: () => number;
    readonly lastPrice: (symbol: string) => Decimal | undefined;
  },
): MatchingEngine {
  const byName = new Map(accounts.map((account) => [account.name, account]));
  const orders = emptyOrders();
  const balances = openBalances();
  const account = (name: string) => required(byName.get(name), `account ${name}`);
  const market = (symbol: string) => required(markets.get(symbol), `market of ${symbol}`);
  return {
    orders,
    balances,
    account,
    market,
    filter: (order) =>
      filterRefusal(
        { orders, balances, market: market(order.symbol), account: account(order.account), nowMs: out.nowMs() },
        order,
      ),
    reference: (symbol) => referenceOf(market(symbol), out.nowMs())?.price ?? null,
    worthInBnb: (asset, amount) => worthInBnb(out.lastPrice, asset, amount),
    onReport: (report) => {
      out.outbox().push(report);
    },
    onTrade: out.onTrade,
  };
}

/** The last price of a coin that may be inactive. */
function lastPriceOf(venue: Venue, symbol: string): Decimal | undefined {
  const market = venue.markets.get(symbol);
  if (market !== undefined && !venue.live.has(symbol)) skipTo(market, venue.playedMs);
  return market?.lastPrice;
}

/** Loads the stored state, opens new accounts, and expires orders of accounts that no longer exist. */
function restore(venue: Venue, records: readonly JournalRecord[]): void {
  const { orders, balances } = venue.engine;
  const latest = new Map(records.flatMap((record) => record.orders.orders).map((order) => [order.id, order]));
  const fills = new Map(
    records.flatMap((record) => record.orders.fills).map((fill) => [`${fill.symbol}|${fill.id}|${fill.orderId}`, fill]),
  );
  const prevented = new Map(records.flatMap((record) => record.orders.prevented).map((match) => [match.id, match]));
  const lists = new Map(records.flatMap((record) => record.orders.lists).map((list) => [list.id, list]));
  restoreOrders(orders, {
    lastId: Math.max(0, ...records.map((record) => record.orders.lastId)),
    lastExecutionId: Math.max(0, ...records.map((record) => record.orders.lastExecutionId)),
    orders: [...latest.values()],
    fills: [...fills.values()],
    prevented: [...prevented.values()],
    lists: [...lists.values()],
  });
  for (const row of records.flatMap((record) => record.purses)) balances.restore(row);
  openAccounts(venue);
  const names = new Set(venue.accounts.map((account) => account.name));
  for (const order of [...orders.open.values()]) {
    const served = venue.markets.has(order.symbol) && names.has(order.account);
    if (served) venue.live.add(order.symbol);
    else if (venue.markets.has(order.symbol))
      expireOrder(venue.engine, order, { reason: 'EXCHANGE_CANCELED', atMs: venue.playedMs });
  }
  // No listener is connected yet.
  venue.outbox.length = 0;
  storeWhole(venue);
}

/** Gives accounts without any money their opening balances. */
function openAccounts({ engine: { balances }, accounts }: Venue): void {
  const known = new Set(balances.rows().map((row) => row.owner));
  for (const account of accounts.filter((candidate) => !known.has(candidate.name))) {
    for (const [asset, amount] of account.openingBalances)
      balances.move({ from: OUTSIDE_OWNER, to: account.name, asset, amount });
  }
}

/** Stores the whole state. It includes all changes up to now. */
function storeWhole(venue: Venue): void {
  drainChanges(venue.engine.orders);
  venue.engine.balances.drainChanged();
  venue.journal?.compact(wholeRecord(venue));
}

/** Resets the exchange without events: no orders, opening balances, ids restart. Keys and the market stay. */
export function wipeVenue(venue: Venue): void {
  clearOrders(venue.engine.orders);
  venue.engine.balances.clear();
  openAccounts(venue);
  storeWhole(venue);
}

/** Plays every live coin up to now, in the order of time. Returns the market time reached. */
export function catchUp(venue: Venue): number {
  const nowMs = venue.clock.nowMs();
  playUntil(venue, nowMs, Infinity);
  return nowMs;
}

/** When the next event of a live coin is due; Infinity if none is. */
export const nextDueMs = (venue: Venue): number =>
  Math.min(Infinity, ...[...venue.live].map((symbol) => nextEventMs(venue.engine.market(symbol))));

/** Plays at most `maxEvents` events up to `untilMs`. Returns true if nothing is left to play. */
export function playUntil(venue: Venue, untilMs: number, maxEvents: number): boolean {
  const markets = [...venue.live].map((symbol) => venue.engine.market(symbol));
  const due = markets.filter((market) => nextEventMs(market) <= untilMs);
  for (let played = 0; played < maxEvents; played++) {
    let first: SymbolMarket | undefined;
    let firstMs = Infinity;
    for (const market of due) {
      const ms = nextEventMs(market);
      if (ms < firstMs) [first, firstMs] = [market, ms];
    }
    if (first === undefined || firstMs > untilMs) {
      venue.playedMs = Math.max(venue.playedMs, untilMs);
      return true;
    }
    venue.playedMs = Math.max(venue.playedMs, firstMs);
    playOne(venue, first);
  }
  return false;
}

function playOne(venue: Venue, market: SymbolMarket): void {
  const { symbol } = market.listing.rules;
  const event = shiftEvent(market);
  if (event.kind === 'close') venue.listeners.onClose(symbol, event.openMs, event.atMs);
  // A coin that does not trade keeps its price while its source continues.
  else if (isPlayed(market)) playStep(venue.engine, symbol, event);
  commit(venue, event.atMs);
}

/** False while the status of a coin is not TRADING. A coin that has never traded is played until its first trade. */
const isPlayed = (market: SymbolMarket): boolean => market.lastPrice === undefined || statusOf(market) === 'TRADING';

/** The coin's market at the current time; undefined for an unknown coin. */
export function marketNow(venue: Venue, symbol: string): SymbolMarket | undefined {
  const market = venue.markets.get(symbol);
  if (market === undefined) return undefined;
  const nowMs = venue.clock.nowMs();
  if (venue.live.has(symbol)) playUntil(venue, nowMs, Infinity);
  else if (isPlayed(market)) skipTo(market, nowMs);
  return market;
}

/** Like `marketNow`, and from now on every trade of the coin is played. */
export function activate(venue: Venue, symbol: string): SymbolMarket | undefined {
  const market = marketNow(venue, symbol);
  if (market !== undefined) venue.live.add(symbol);
  return market;
}

/** Stops playing coins without subscribers and open orders. Starts playing coins that have gained some. */
export function deactivateIdle(venue: Venue): void {
  const needed = new Set([...symbolsWithOrders(venue.engine.orders), ...venue.listeners.watched()]);
  for (const symbol of venue.live) if (!needed.has(symbol)) venue.live.delete(symbol);
  for (const symbol of needed) if (!venue.live.has(symbol)) activate(venue, symbol);
}

export const klinesNow = (venue: Venue, market: SymbolMarket, query: KlineQuery): Kline[] =>
  readKlines(market, query, venue.clock.nowMs());

/** Stores the changes, then notifies the listeners. Must be called at the end of every change. */
export function commit(venue: Venue, atMs: number): void {
  storeChanges(venue, atMs);
  venue.listeners.onSettled(atMs);
}

function storeChanges(venue: Venue, atMs: number): void {
  const { orders, balances } = venue.engine;
  const rows = balances.drainChanged();
  if (orders.changed.size === 0 && rows.length === 0) return;
  const changes = drainChanges(orders);
  const symbols = new Set(changes.fills.map((fill) => fill.symbol));
  const tradeIds = Object.fromEntries([...symbols].map((symbol) => [symbol, venue.engine.market(symbol).lastTradeId]));
  venue.journal?.append({ atMs, orders: changes, purses: rows, tradeIds });
  if (venue.journal?.isLong()) venue.journal.compact(wholeRecord(venue));
  for (const report of venue.outbox.splice(0)) {
    if (report.kind === 'order') venue.listeners.onReport(report);
    else venue.listeners.onList(report);
  }
  const owned = Map.groupBy(
    rows.filter((row) => !row.owner.startsWith('#')),
    (row) => row.owner,
  );
  for (const [account, changed] of owned) venue.listeners.onBalances(account, changed, atMs);
}

const wholeRecord = (venue: Venue): JournalRecord => ({
  atMs: venue.playedMs,
  orders: wholeState(venue.engine.orders),
  purses: venue.engine.balances.rows(),
  tradeIds: Object.fromEntries([...venue.markets].map(([symbol, market]) => [symbol, market.lastTradeId])),
});

function required<Value>(value: Value | undefined, label: string): Value {
  if (value === undefined) throw new Error(`there is no ${label}`);
  return value;
}
