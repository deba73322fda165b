import { type AggTrade, aggregateTrades } from '#paper/rest/agg-trades.ts';
import type { Book } from '#paper/exchange/book.ts';
import { type DepthDifference, type DepthWatch, noteOrder, openDepthWatch, takeDifference } from './depth-watch.ts';
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

/** A stream that sends at most every so often: when it last did, and the book it last showed. */
interface Paced {
  readonly stream: StreamName & { readonly kind: 'diff' | 'partial' };
  readonly depth: DepthWatch;
  sentMs: number;
}

/** What is followed of one coin because somebody subscribed to it; all streams by name. */
export interface Followed {
  readonly market: SymbolMarket;
  readonly book: Book;
  readonly streams: Map<string, StreamName>;
  readonly klines: Map<string, KlineWatch>;
  readonly depths: Map<string, Paced>;
  /** Trades not told as an aggregate yet. */
  pending: PublicTrade[];
  /** The best prices last told, and the book's id when they were looked at. */
  lastBest: string;
  lastBestId: number;
  tickersMs: number;
}

const TICKERS_MS = 1000;

export const openFollowed = (market: SymbolMarket, book: Book): Followed => ({
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

export function follow(followed: Followed, name: string, begin: { stream: StreamName; nowMs: number }): void {
  const { stream, nowMs } = begin;
  if (followed.streams.has(name)) return;
  followed.streams.set(name, stream);
  if (stream.kind === 'kline') {
    const watch = openKlineWatch(followed.market, stream, nowMs);
    if (watch !== undefined) followed.klines.set(name, watch);
  } else if (stream.kind === 'diff' || stream.kind === 'partial') {
    followed.depths.set(name, { stream, depth: openDepthWatch(followed.market), sentMs: nowMs });
  }
}

export function unfollow(followed: Followed, name: string): void {
  followed.streams.delete(name);
  followed.klines.delete(name);
  followed.depths.delete(name);
}

const isFollowing = (followed: Followed, name: string): boolean => followed.streams.has(name);
const nameOf = (followed: Followed, rest: string): string =>
  `${followed.market.listing.rules.symbol.toLowerCase()}@${rest}`;

/** What a printed trade is told as at once. */
export function framesOfTrade(followed: Followed, trade: PublicTrade): StreamFrame[] {
  const [single, agg] = [nameOf(followed, 'trade'), nameOf(followed, 'aggTrade')];
  const frames: StreamFrame[] = isFollowing(followed, single) ? [{ name: single, body: tradeFrame(trade) }] : [];
  if (isFollowing(followed, agg)) {
    followed.pending.push(trade);
    frames.push(...takeAggregates(followed, { keepLast: true, atMs: trade.atMs }));
  }
  for (const [name, watch] of followed.klines)
    frames.push(
      ...klineFrames(updatesAfterTrade(watch, followed.market, trade.atMs), {
        name,
        symbol: trade.symbol,
        interval: watch.interval,
        atMs: trade.atMs,
      }),
    );
  return frames;
}

/** Complete aggregates; the last one may still grow unless everything of its instant has happened. */
function takeAggregates(
  followed: Followed,
  until: { readonly keepLast: boolean; readonly atMs: number },
): StreamFrame[] {
  const all: AggTrade[] = aggregateTrades(followed.pending);
  const done = until.keepLast ? all.slice(0, -1) : all;
  const lastId = done.at(-1)?.lastId ?? -1;
  followed.pending = followed.pending.filter((trade) => trade.id > lastId);
  const name = nameOf(followed, 'aggTrade');
  return done.map((agg) => ({ name, body: aggTradeFrame(agg, until.atMs) }));
}

/** What the close of one of the coin's own candles is told as. */
export function framesOfClose(
  followed: Followed,
  close: { readonly openMs: number; readonly atMs: number },
): StreamFrame[] {
  return [...followed.klines].flatMap(([name, watch]) =>
    klineFrames(updatesAfterClose(watch, followed.market, close.openMs), {
      name,
      symbol: followed.market.listing.rules.symbol,
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

/** Notes that an order came, went or filled. */
export function noteFollowedOrder(followed: Followed, order: Readonly<Order>): void {
  for (const { depth } of followed.depths.values()) noteOrder(depth, followed.market, order);
}

/** Everything up to `atMs` has happened and the book is whole; `isLast` when the market stands still from then on. */
export interface Settled {
  readonly atMs: number;
  readonly isLast: boolean;
}

/** What is due once things have settled. */
export const framesWhenSettled = (followed: Followed, settled: Settled): StreamFrame[] => [
  ...takeAggregates(followed, { keepLast: false, atMs: settled.atMs }),
  ...bestFrames(followed),
  ...depthFrames(followed, settled),
  ...tickerFrames(followed, settled.atMs),
];

function bestFrames(followed: Followed): StreamFrame[] {
  const name = nameOf(followed, 'bookTicker');
  if (!isFollowing(followed, name)) return [];
  const { market, book } = followed;
  if (followed.lastBestId === market.bookId) return [];
  followed.lastBestId = market.bookId;
  const best = bestOf(book, market);
  const text = `${best.bid.join()}|${best.ask.join()}`;
  if (text === followed.lastBest) return [];
  followed.lastBest = text;
  return [{ name, body: bookTickerFrame(market.listing.rules.symbol, market.bookId, best) }];
}

/** What a standing market keeps back would never be told, though snapshots show it: then the pace does not count. */
function depthFrames(followed: Followed, { atMs, isLast }: Settled): StreamFrame[] {
  const { market, book } = followed;
  return [...followed.depths].flatMap(([name, paced]) => {
    if (!isLast && atMs - paced.sentMs < paced.stream.everyMs) return [];
    const difference = takeDifference(paced.depth, market, book);
    if (difference === undefined) return [];
    paced.sentMs = atMs;
    return [{ name, body: bodyOf(followed, paced.stream, { difference, atMs }) }];
  });
}

const bodyOf = (
  { market, book }: Followed,
  stream: Paced['stream'],
  now: { readonly difference: DepthDifference; readonly atMs: number },
): Record<string, unknown> =>
  stream.kind === 'diff'
    ? depthFrame(stream.symbol, now.difference, now.atMs)
    : { lastUpdateId: now.difference.lastId, ...depthRows(book, market, stream.levels) };

function tickerFrames(followed: Followed, atMs: number): StreamFrame[] {
  if (atMs - followed.tickersMs < TICKERS_MS) return [];
  followed.tickersMs = atMs;
  return [...followed.streams].flatMap(([name, stream]) => {
    const body = tickerBody(followed, stream, atMs);
    return body === undefined ? [] : [{ name, body }];
  });
}

function tickerBody(followed: Followed, stream: StreamName, atMs: number): Record<string, unknown> | undefined {
  const { market, book } = followed;
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
