import { add, type Decimal, fromSteps, maximum, toSteps, ZERO } from '#core/amount/decimal.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import { beginForming, type Forming, growForming, type Kline, klineOf, klineOfForming } from './kline.ts';
import { mix, mixText } from './noise.ts';
import { countTrades, type SourceTrade, tradesOf } from './path.ts';
import { type Quote, quoteAround, ticksOf } from './quote.ts';
import { type Bucket, noteReference } from './bucket.ts';
import { countOf, type Listing, type MarketSource, type SourceCandle, valueOf } from './source.ts';
import { openTerms, type Terms } from './terms.ts';

/** A printed trade as the public sees it; the numbers are the nearest float64. */
export interface PublicTrade {
  readonly id: number;
  /** Trades of one taker at one price and time share it. */
  readonly aggregateId: number;
  readonly symbol: string;
  readonly atMs: number;
  readonly price: Decimal;
  readonly priceNumber: number;
  readonly quantityNumber: number;
  readonly takerBuys: boolean;
}

type SourceEvent =
  /** `from` is the price in ticks of the candle's previous trade; undefined for its first one. */
  | { readonly kind: 'trade'; readonly atMs: number; readonly trade: SourceTrade; readonly from: number | undefined }
  | { readonly kind: 'close'; readonly atMs: number; readonly openMs: number };

/** The live state of one coin. Change it only through the functions below. */
export interface SymbolMarket {
  readonly listing: Listing;
  /** The status that the exchange set; see `statusOf`. */
  status: SymbolRules['status'];
  readonly terms: Terms;
  /** The trades whose mean is the reference price. */
  readonly means: Bucket[];
  readonly source: MarketSource;
  /** The number of trades that one candle of the source is played as. */
  readonly tradesPerCandle: number;
  /** The current candle, its trades, and the index of the next one. */
  candle: SourceCandle | undefined;
  path: readonly SourceTrade[];
  next: number;
  forming: Forming | undefined;
  /** Undefined before the first trade of the coin. */
  lastPrice: Decimal | undefined;
  quote: Quote | undefined;
  lastTradeId: number;
  /** The number of trades that share the aggregate id of the previous trade. */
  merged: number;
  /** From a time on: the id before the source's first trade, as if all trades had been printed. Newest last. */
  readonly idOffsets: { readonly fromMs: number; readonly offset: number }[];
  /** Rises with every change of the book, market makers included. */
  bookId: number;
  readonly recent: PublicTrade[];
  /** Closed candles in which clients traded. They differ from those of the source. */
  readonly overrides: Map<number, Kline>;
}

const RECENT = 1000;
/**
 * Trade ids are consecutive. The first id of a run follows market time. So ids rise across restarts without being
 * stored: a coin prints fewer than one trade a millisecond.
 */
const ID_EPOCH_MS = Date.UTC(2017, 0, 1);

/** Opens the market of a coin at `fromMs`. */
export function openSymbolMarket(
  source: MarketSource,
  listing: Listing,
  options: { readonly tradesPerCandle: number; readonly fromMs: number; readonly lastTradeId: number },
): SymbolMarket {
  const market: SymbolMarket = {
    listing,
    status: listing.rules.status,
    terms: openTerms(),
    means: [],
    source,
    tradesPerCandle: options.tradesPerCandle,
    candle: undefined,
    path: [],
    next: 0,
    forming: undefined,
    lastPrice: undefined,
    quote: undefined,
    lastTradeId: 0,
    merged: 0,
    idOffsets: [],
    bookId: 0,
    recent: [],
    overrides: new Map(),
  };
  startAfter(market, options.fromMs);
  const played = playedTrades(market);
  market.lastTradeId = Math.max(options.lastTradeId, options.fromMs - ID_EPOCH_MS, played);
  market.idOffsets.push({ fromMs: -Infinity, offset: market.lastTradeId - played });
  skipTo(market, options.fromMs);
  return market;
}

/** The number of trades that the source has played before the next one. */
const playedTrades = ({ source, listing, candle, next, tradesPerCandle }: SymbolMarket): number =>
  source.tradesBefore(listing.rules.symbol, candle?.openMs ?? Infinity, tradesPerCandle) + next;

/** The difference between ids and trades of the source at a time. Every trade of a client adds one. */
const idOffsetAt = ({ idOffsets }: SymbolMarket, ms: number): number =>
  idOffsets.findLast(({ fromMs }) => fromMs <= ms)?.offset ?? 0;

/** A candle of the source with the ids of its trades. */
export function klineOfSource(market: SymbolMarket, candle: SourceCandle): Kline {
  const { source, listing, tradesPerCandle } = market;
  const before = source.tradesBefore(listing.rules.symbol, candle.openMs, tradesPerCandle);
  const count = countTrades(candle, listing.grid, tradesPerCandle);
  return klineOf(candle, { count, firstId: idOffsetAt(market, candle.openMs) + before + 1 });
}

/** Time of the next trade or candle close; Infinity if the data have ended. */
export const nextEventMs = (market: SymbolMarket): number => Math.min(closeMs(market), tradeMs(market));

const tradeMs = (market: SymbolMarket): number => market.path[market.next]?.atMs ?? Infinity;
const closeMs = (market: SymbolMarket): number =>
  Math.min(
    market.forming?.closeMs ?? Infinity,
    market.next >= market.path.length ? (market.candle?.closeMs ?? Infinity) : Infinity,
  );

/** Removes and returns the next event. A trade is not printed until `printSource` is called with it. */
export function shiftEvent(market: SymbolMarket): SourceEvent {
  const closing = closeMs(market);
  if (closing <= tradeMs(market)) {
    if (market.forming?.closeMs === closing) finishForming(market);
    if (market.candle?.closeMs === closing) load(market, closing);
    return { kind: 'close', atMs: closing, openMs: closing - market.listing.intervalMs };
  }
  const trade = market.path[market.next];
  if (trade === undefined) throw new Error(`the market of ${market.listing.rules.symbol} has no next event`);
  const from = market.path[market.next - 1]?.ticks;
  market.next += 1;
  return { kind: 'trade', atMs: trade.atMs, trade, from };
}

/** Brings an inactive coin to `ms` without playing every trade in between. */
export function skipTo(market: SymbolMarket, ms: number): void {
  // A candle with trades of clients differs from the source's: the rest of it is played as well.
  if (market.forming?.touched) playUntil(market, Math.min(ms, market.forming.closeMs));
  if (market.candle !== undefined && ms >= market.candle.closeMs) {
    finishForming(market);
    const before = playedTrades(market);
    startAfter(market, ms);
    market.lastTradeId += playedTrades(market) - before;
    // The kept trades must have no gap.
    market.recent.length = 0;
  }
  playUntil(market, ms);
}

function playUntil(market: SymbolMarket, ms: number): void {
  while (nextEventMs(market) <= ms) {
    const event = shiftEvent(market);
    if (event.kind === 'trade') printSource(market, event.trade);
  }
}

/** Takes the last price from the previous candle, then loads the candle that contains `ms` or follows it. */
function startAfter(market: SymbolMarket, ms: number): void {
  load(market, ms);
  const { candle, listing, source } = market;
  const openMs = candle !== undefined && candle.openMs <= ms ? candle.openMs : ms + 1;
  const before = source.candleBefore(listing.rules.symbol, openMs);
  if (before === undefined) return;
  const ticks = Math.max(1, countOf(before.close, listing.grid.tickUnits));
  market.lastPrice = fromSteps(ticks, listing.rules.price.tick);
  market.quote = quoteAround({ ticks, takerBuys: true, id: before.openMs, spread: listing.spread });
  noteBookChange(market, ms);
}

function load(market: SymbolMarket, afterMs: number): void {
  const { listing, source, tradesPerCandle } = market;
  market.candle = source.candleAfter(listing.rules.symbol, afterMs);
  const salt = mixText(listing.rules.symbol, 0);
  market.path =
    market.candle === undefined ? [] : tradesOf(market.candle, listing.grid, { count: tradesPerCandle, salt });
  market.next = 0;
}

/** Prints a trade of the source, or an injected one (`touched`). The makers quote around it. */
export function printSource(market: SymbolMarket, trade: SourceTrade, touched = false): PublicTrade {
  const printed = print(market, trade, touched);
  market.quote = quoteAround({
    ...{ ticks: trade.ticks, takerBuys: trade.takerBuys, id: printed.id },
    spread: market.listing.spread,
  });
  return printed;
}

/** Prints a trade of a client. The makers' quote does not change. */
export function printClient(
  market: SymbolMarket,
  trade: { readonly atMs: number; readonly price: Decimal; readonly quantity: Decimal; readonly takerBuys: boolean },
): PublicTrade {
  const ticks = ticksOf(trade.price, market.listing);
  const lots = toSteps(trade.quantity, market.listing.rules.lot.step);
  return print(market, { atMs: trade.atMs, takerBuys: trade.takerBuys, ticks, lots }, true);
}

/** Takes over the last price of another market, in ticks, without a trade. The makers quote around it. */
export function adoptPrice(market: SymbolMarket, ticks: number, atMs: number): void {
  market.lastPrice = fromSteps(ticks, market.listing.rules.price.tick);
  market.quote = quoteAround({ ticks, takerBuys: true, id: atMs, spread: market.listing.spread });
  noteBookChange(market, atMs);
}

/** Sets the makers' quote, in ticks, as far as it does not cross the best prices of clients. */
export function adoptQuote(
  market: SymbolMarket,
  best: {
    readonly bid: number;
    readonly ask: number;
    readonly ownBid: Decimal | undefined;
    readonly ownAsk: Decimal | undefined;
  },
  atMs: number,
): void {
  const { ownBid, ownAsk } = best;
  const bid = ownAsk === undefined ? best.bid : Math.min(best.bid, ticksOf(ownAsk, market.listing) - 1);
  const ask = ownBid === undefined ? best.ask : Math.max(best.ask, ticksOf(ownBid, market.listing) + 1);
  if (market.quote?.bid === bid && market.quote.ask === ask) return;
  market.quote = { bid, ask, salt: mix(bid, ask), taken: new Map() };
  noteBookChange(market, atMs);
}

/** Records that a client took `quantity` from the makers at `price`, until the source's next trade. */
export function takeFromMakers(market: SymbolMarket, price: Decimal, quantity: Decimal): void {
  const ticks = ticksOf(price, market.listing);
  const taken = market.quote?.taken;
  taken?.set(ticks, add(taken.get(ticks) ?? ZERO, quantity));
}

function print(market: SymbolMarket, trade: SourceTrade, touched: boolean): PublicTrade {
  const { rules, grid, intervalMs } = market.listing;
  const id = market.lastTradeId + 1;
  const openMs = trade.atMs - (trade.atMs % intervalMs);
  if (market.forming !== undefined && market.forming.openMs !== openMs) finishForming(market);
  const forming = market.forming ?? beginForming(openMs, openMs + intervalMs);
  forming.touched ||= touched;
  growForming(forming, { ...trade, id }, grid);
  market.forming = forming;
  market.lastTradeId = id;
  noteBookChange(market, trade.atMs);
  market.lastPrice = fromSteps(trade.ticks, rules.price.tick);
  const last = market.recent.at(-1);
  const isMore = last?.price === market.lastPrice && last.atMs === trade.atMs && last.takerBuys === trade.takerBuys;
  market.merged += Number(isMore);
  const printed = {
    id,
    aggregateId: id - market.merged,
    symbol: rules.symbol,
    atMs: trade.atMs,
    price: market.lastPrice,
    priceNumber: valueOf(trade.ticks, grid.tickUnits),
    quantityNumber: valueOf(trade.lots, grid.stepUnits),
    takerBuys: trade.takerBuys,
  };
  noteReference(market, printed.price, trade.atMs);
  market.recent.push(printed);
  if (market.recent.length > 2 * RECENT) market.recent.splice(0, RECENT);
  return printed;
}

/** Gives the book a new id. Ids follow market time, so that they rise across restarts too. */
export function noteBookChange(market: SymbolMarket, atMs: number): void {
  market.bookId = Math.max(market.bookId + 1, atMs - ID_EPOCH_MS);
}

function finishForming(market: SymbolMarket): void {
  const { forming } = market;
  if (forming?.touched) {
    market.overrides.set(forming.openMs, klineOfForming(forming, market.listing.grid));
    const { source, listing, tradesPerCandle } = market;
    const played = source.tradesBefore(listing.rules.symbol, forming.closeMs, tradesPerCandle);
    market.idOffsets.push({ fromMs: forming.closeMs, offset: forming.lastTradeId - played });
  }
  market.forming = undefined;
}

/** The current candle. */
export const formingKline = (market: SymbolMarket): Kline | undefined =>
  market.forming === undefined ? undefined : klineOfForming(market.forming, market.listing.grid);

/** A recorded coin that is not listed yet has no price and is in BREAK. */
export const statusOf = (market: SymbolMarket): SymbolRules['status'] =>
  market.lastPrice === undefined ? 'BREAK' : market.status;

/** The listing with the current grid for new orders. */
export function listingNow({ listing, terms }: SymbolMarket): Listing {
  const { price, lot } = listing.rules;
  const [tick, step] = [terms.tick ?? price.tick, terms.step ?? lot.step];
  if (tick === price.tick && step === lot.step) return listing;
  const rules = {
    ...listing.rules,
    price: { ...price, tick, min: maximum(price.min, tick) },
    lot: { ...lot, step, min: maximum(lot.min, step) },
  };
  return { ...listing, rules };
}

/** The newest trades, oldest first. */
export const recentTrades = (market: SymbolMarket): readonly PublicTrade[] => market.recent;

/** The closed candle that opened at `openMs`; undefined if the source has none and no client traded. */
export function closedCandle(market: SymbolMarket, openMs: number): Kline | undefined {
  const known = market.overrides.get(openMs);
  if (known !== undefined) return known;
  const candle = market.source.candleAfter(market.listing.rules.symbol, openMs);
  return candle?.openMs === openMs ? klineOfSource(market, candle) : undefined;
}
