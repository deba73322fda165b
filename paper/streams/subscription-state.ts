import { type AggTrade, aggregateTrades } from '#paper/rest/agg-trades.ts';
import type { Book } from '#paper/exchange/book.ts';
import { type DepthDifference, type DepthWatch, noteOrder, openDepthWatch, drainDifference } from './depth-watch.ts';
import {
  type KlineUpdate,
  type KlineWatch,
  openKlineWatch,
  updatesAfterClose,
  updatesAfterTrade,
} from './kline-watch.ts';
import { referenceOf } from '#paper/market/reference.ts';
import { averagePrice, DAY_MS, rollingSpan } from '#paper/market/statistics.ts';
import type { PublicTrade, SymbolMarket } from '#paper/market/symbol-market.ts';
import { bestOf, depthRows } from '#paper/rest/market-json.ts';
import type { Order } from '#paper/exchange/order.ts';
import {
  aggTradeFrame,
  averageFrame,
  bookTickerFrame,
  depthFrame,
  klineFrame,
  referenceFrame,
  tradeFrame,
} from './stream-json.ts';
import { type StreamName, windowMs } from './stream-name.ts';
import { dayTickerFrame, miniTickerFrame, windowTickerFrame } from '#paper/rest/ticker-json.ts';

/** A payload and the stream it belongs to. */
export interface StreamFrame {
  readonly name: string;
  readonly body: Record<string, unknown>;
}

/** A stream with a minimum interval between frames: the time of its last frame, and the book at that time. */
interface PacedStream {
  readonly stream: StreamName & { readonly kind: 'diff' | 'partial' };
  readonly depth: DepthWatch;
  sentMs: number;
}

/** The state of all subscribed streams of one coin, by stream name. */
export interface SubscriptionState {
  readonly market: SymbolMarket;
  readonly book: Book;
  readonly streams: Map<string, StreamName>;
  readonly klines: Map<string, KlineWatch>;
  readonly depths: Map<string, PacedStream>;
  /** Trades not yet sent as an aggregate. */
  pending: PublicTrade[];
  /** The best prices last sent, and the book id at the last check. */
  lastBest: string;
  lastBestId: number;
  tickersMs: number;
}

const TICKERS_MS = 1000;

export const openSubscriptionState = (market: SymbolMarket, book: Book): SubscriptionState => ({
  market,
  book,
  streams: new Map(),
  klines: new Map(),
  depths: new Map(),
  pending: [],
  lastBest: '',
  lastBestId: -1,
  tickersMs: 0,
});

export function addStream(state: SubscriptionState, name: string, input: { stream: StreamName; nowMs: number }): void {
  const { stream, nowMs } = input;
  if (state.streams.has(name)) return;
  state.streams.set(name, stream);
  if (stream.kind === 'kline') {
    const watch = openKlineWatch(state.market, stream, nowMs);
    if (watch !== undefined) state.klines.set(name, watch);
  } else if (stream.kind === 'diff' || stream.kind === 'partial') {
    state.depths.set(name, { stream, depth: openDepthWatch(state.market), sentMs: nowMs });
  }
}

export function removeStream(state: SubscriptionState, name: string): void {
  state.streams.delete(name);
  state.klines.delete(name);
  state.depths.delete(name);
}

const hasStream = (state: SubscriptionState, name: string): boolean => state.streams.has(name);
const nameOf = (state: SubscriptionState, rest: string): string =>
  `${state.market.listing.rules.symbol.toLowerCase()}@${rest}`;

/** The immediate frames of a printed trade. */
export function framesOfTrade(state: SubscriptionState, trade: PublicTrade): StreamFrame[] {
  const [single, agg] = [nameOf(state, 'trade'), nameOf(state, 'aggTrade')];
  const frames: StreamFrame[] = hasStream(state, single) ? [{ name: single, body: tradeFrame(trade) }] : [];
  if (hasStream(state, agg)) {
    state.pending.push(trade);
    frames.push(...drainAggregates(state, { keepLast: true, atMs: trade.atMs }));
  }
  for (const [name, watch] of state.klines)
    frames.push(
      ...klineFrames(updatesAfterTrade(watch, state.market, trade.atMs), {
        name,
        symbol: trade.symbol,
        interval: watch.interval,
        atMs: trade.atMs,
      }),
    );
  return frames;
}

/** Complete aggregates. The last one may still grow unless everything of its instant has happened. */
function drainAggregates(
  state: SubscriptionState,
  until: { readonly keepLast: boolean; readonly atMs: number },
): StreamFrame[] {
  const all: AggTrade[] = aggregateTrades(state.pending);
  const done = until.keepLast ? all.slice(0, -1) : all;
  const lastId = done.at(-1)?.lastId ?? -1;
  state.pending = state.pending.filter((trade) => trade.id > lastId);
  const name = nameOf(state, 'aggTrade');
  return done.map((agg) => ({ name, body: aggTradeFrame(agg, until.atMs) }));
}

/** The frames for the close of one of the coin's own candles. */
export function framesOfClose(
  state: SubscriptionState,
  close: { readonly openMs: number; readonly atMs: number },
): StreamFrame[] {
  return [...state.klines].flatMap(([name, watch]) =>
    klineFrames(updatesAfterClose(watch, state.market, close.openMs), {
      name,
      symbol: state.market.listing.rules.symbol,
      interval: watch.interval,
      atMs: close.atMs,
    }),
  );
}

const klineFrames = (
  updates: readonly KlineUpdate[],
  about: { name: string; symbol: string; interval: string; atMs: number },
): StreamFrame[] =>
  updates.map(({ kline, closed }) => ({ name: about.name, body: klineFrame(kline, { ...about, closed }) }));

/** Records that an order was placed, removed or filled. */
export function noteOrderChange(state: SubscriptionState, order: Readonly<Order>): void {
  for (const { depth } of state.depths.values()) noteOrder(depth, state.market, order);
}

/** Everything up to `atMs` has happened and the book is consistent. `isLast`: the market does not move after it. */
export interface Settled {
  readonly atMs: number;
  readonly isLast: boolean;
}

/** The frames that are due once the book is consistent. */
export const framesWhenSettled = (state: SubscriptionState, settled: Settled): StreamFrame[] => [
  ...drainAggregates(state, { keepLast: false, atMs: settled.atMs }),
  ...bestFrames(state),
  ...depthFrames(state, settled),
  ...tickerFrames(state, settled.atMs),
];

function bestFrames(state: SubscriptionState): StreamFrame[] {
  const name = nameOf(state, 'bookTicker');
  if (!hasStream(state, name)) return [];
  const { market, book } = state;
  if (state.lastBestId === market.bookId) return [];
  state.lastBestId = market.bookId;
  const best = bestOf(book, market);
  const text = `${best.bid.join()}|${best.ask.join()}`;
  if (text === state.lastBest) return [];
  state.lastBest = text;
  return [{ name, body: bookTickerFrame(market.listing.rules.symbol, market.bookId, best) }];
}

/**
 * In a stopped market a delayed difference would never be sent, though snapshots contain it. Then the interval does not
 * apply.
 */
function depthFrames(state: SubscriptionState, { atMs, isLast }: Settled): StreamFrame[] {
  const { market, book } = state;
  return [...state.depths].flatMap(([name, paced]) => {
    if (!isLast && atMs - paced.sentMs < paced.stream.everyMs) return [];
    const difference = drainDifference(paced.depth, market, book);
    if (difference === undefined) return [];
    paced.sentMs = atMs;
    return [{ name, body: bodyOf(state, paced.stream, { difference, atMs }) }];
  });
}

const bodyOf = (
  { market, book }: SubscriptionState,
  stream: PacedStream['stream'],
  now: { readonly difference: DepthDifference; readonly atMs: number },
): Record<string, unknown> =>
  stream.kind === 'diff'
    ? depthFrame(stream.symbol, now.difference, now.atMs)
    : { lastUpdateId: now.difference.lastId, ...depthRows(book, market, stream.levels) };

function tickerFrames(state: SubscriptionState, atMs: number): StreamFrame[] {
  if (atMs - state.tickersMs < TICKERS_MS) return [];
  state.tickersMs = atMs;
  return [...state.streams].flatMap(([name, stream]) => {
    const body = tickerBody(state, stream, atMs);
    return body === undefined ? [] : [{ name, body }];
  });
}

function tickerBody(state: SubscriptionState, stream: StreamName, atMs: number): Record<string, unknown> | undefined {
  const { market, book } = state;
  const { symbol } = stream;
  switch (stream.kind) {
    case 'miniTicker':
      return miniTickerFrame(symbol, rollingSpan(market, DAY_MS, atMs));
    case 'ticker': {
      const lastQuantity = market.recent.at(-1)?.quantityNumber ?? 0;
      return dayTickerFrame(symbol, rollingSpan(market, DAY_MS, atMs), { best: bestOf(book, market), lastQuantity });
    }
    case 'window':
      return windowTickerFrame(symbol, stream.window, rollingSpan(market, windowMs(stream.window), atMs));
    case 'avgPrice':
      return averageFrame(symbol, averagePrice(market, atMs), atMs);
    case 'referencePrice':
      return referenceFrame(symbol, referenceOf(market, atMs));
    default:
      return undefined;
  }
}
